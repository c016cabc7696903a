package option

// NoData says why the test has no mode data whatever a device promises, "" if it has one:
// who spins on memory has to know where the next message will be, and what will differ there.
func (p *Plan) NoData() string {
	if p.Op == OpAtomic {
		return "an atomic operation brings what was at the peer, which may be any number, so nothing in memory tells that it has arrived"
	}
	return ""
}

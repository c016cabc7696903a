package option

import "fmt"

// Transport is what QPs are connected by, in perftest's spelling.
type Transport string

// The transports.
const (
	RC  Transport = "RC"
	UC  Transport = "UC"
	UD  Transport = "UD"
	XRC Transport = "XRC"
)

// Lossy tells transports that do not repeat what is lost, and tell nobody.
func (t Transport) Lossy() bool { return t == UC || t == UD }

// Carries tells whether QPs of the transport have the operation.
func (t Transport) Carries(op Op) bool {
	return t != UD && t != UC || op == OpSend || t == UC && op == OpWrite
}

// SRQ tells whether receives are those of a shared queue: XRC has no others.
func (p *Plan) SRQ() bool { return p.UseSRQ || p.Transport == XRC }

// NoData says why the test has no mode data whatever a device promises, "" if it has one:
// who spins on memory has to know where the next message will be, and what will differ there.
func (p *Plan) NoData() string {
	switch {
	case p.Op == OpAtomic:
		return "an atomic operation brings what was at the peer, which may be any number, so nothing in memory tells that it has arrived"
	case p.Op == OpSend && p.Transport.Lossy():
		return fmt.Sprintf("over %s a SEND may be lost, and the next one takes its receive, so it is not known which message a place in memory will hold", p.Transport)
	case p.Op == OpSend && p.SRQ():
		return "the messages of all QPs take the receives of a shared receive queue, so it is not known where the next one of a QP will be"
	}
	return ""
}

// checkTransport refuses what a transport does not carry, by name.
func (p *Plan) checkTransport() error {
	switch t := p.Transport; {
	case t == UD && !t.Carries(p.Op):
		return fmt.Errorf("--connection UD: %s measures %s, and UD has SEND only", p.Program(), p.Op.verb())
	case t == UC && !t.Carries(p.Op):
		return fmt.Errorf("--connection UC: %s measures %s, and UC has SEND and WRITE only", p.Program(), p.Op.verb())
	case (t == UC || t == XRC) && p.RDMACM:
		return fmt.Errorf("--rdma_cm connects QPs of RC and UD: leave --connection %s out", t)
	case p.UseSRQ && t == UC:
		return fmt.Errorf("--use-srq: QPs of UC have no shared receive queue; use RC, UD or XRC")
	case t == UD && p.Offset != 0:
		return fmt.Errorf("--offset: a message of UD begins %d bytes behind a block, where the GRH before it ends", GRH)
	case t.Lossy() && p.NoPeak && !p.Bandwidth():
		return fmt.Errorf("--noPeak: over %s messages may be lost, and what waiting for them takes can only be left out of single samples", t)
	}
	return p.checkDatagrams()
}

// GRH is how many bytes the routing header takes in front of each message of UD.
const GRH = 40

// mostDatagram is the greatest MTU, which a message of UD is no longer than.
const mostDatagram = 4096

// checkDatagrams refuses sizes that no port carries in one packet. Those that stand for
// all that is possible become fewer, see [Plan.Fit].
func (p *Plan) checkDatagrams() error {
	most := mostDatagram
	if p.MTU > 0 {
		most = p.MTU
	}
	copied := *p
	return copied.Fit(most)
}

// Fit makes the sizes of a test of UD fit into packets of so many bytes, as perftest does:
// sizes that nobody asked for by their number become those that are possible, others are
// refused.
func (p *Plan) Fit(mtu int) error {
	if p.Transport != UD {
		return nil
	}
	var fitting []int
	for _, size := range p.Sizes {
		if size <= mtu {
			fitting = append(fitting, size)
		}
	}
	switch {
	case len(fitting) == len(p.Sizes):
		return nil
	case joined(p.Sizes) == joined(Defaults(p.Test).Sizes):
		fitting = []int{mtu}
	case joined(p.Sizes) != joined(AllSizes()):
		return fmt.Errorf("--size %s: over UD a message is one packet, of %d bytes at most", joined(p.Sizes), mtu)
	}
	p.Sizes = fitting
	return nil
}

// verb is the operation's name on the wire.
func (op Op) verb() string {
	return map[Op]string{OpWrite: "WRITE", OpSend: "SEND", OpRead: "READ", OpAtomic: "atomic operations"}[op]
}

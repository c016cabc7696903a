package rows

// Knee returns the knee of a mode in a sweep along rates: the messages that it answered per second at the lowest rate at which
// its backlog grew; 0 if it kept all rates. The entries are those of one mode and size, in the order of their rates.
func Knee(entries []Entry) float64 {
	for _, e := range entries {
		if e.Load != nil && e.Load.Growing {
			return e.Latency.Rate
		}
	}
	return 0
}

package rows

import "github.com/ibperf/ibperf/result"

// Knee returns the row of a mode's knee in a sweep along rates: the one with the most answers per second in a round, mostly one whose
// backlog grew. It is nil if the mode kept all rates. The entries are those of one mode and size.
func Knee(entries []Entry) (at *result.Row) {
	most, keptAll := 0.0, true
	for _, e := range entries {
		keptAll = keptAll && e.KeepsRate()
		if _, fastest := e.Row.RoundRates(); fastest > most {
			at, most = e.Row, fastest
		}
	}
	if keptAll {
		return nil
	}
	return at
}

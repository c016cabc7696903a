package rows

import "github.com/ibperf/ibperf/result"

// Knee returns the row of a mode's knee in a sweep along rates: of those whose backlog grew, the one with the most answers per second in
// a round. It is nil if the mode kept all rates. The entries are those of one mode and size.
func Knee(entries []Entry) (at *result.Row) {
	most := 0.0
	for _, e := range entries {
		if e.KeepsRate() {
			continue
		}
		if _, fastest := e.Row.RoundRates(); fastest > most {
			at, most = e.Row, fastest
		}
	}
	return at
}

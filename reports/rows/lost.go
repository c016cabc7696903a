package rows

import (
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/result"
)

// LostPart returns the fraction of the messages that was lost.
func LostPart(d *result.Delivery) float64 { return float64(d.Lost) / float64(d.Sent) }

// LostText returns the largest fraction of messages that one of the rows lost, or "" if none lost
// any.
func LostText(rows []Entry) string {
	var lost phrase.Span
	for _, e := range rows {
		if d := e.Delivery; d != nil && d.Sent > 0 {
			lost.Add(LostPart(d))
		}
	}
	if lost.Max == 0 {
		return ""
	}
	return "up to " + phrase.PercentNumber(lost.Max) + " % of the messages were lost"
}

package harness

import (
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/result"
)

// variationWarnings returns the warning about rounds that form two levels, or else about rounds whose
// figures vary much. Those of rounds whose backlog grew depend on their length.
func variationWarnings(r *result.Row) []result.Warning {
	if !r.KeepsRate() {
		return nil
	}
	var figures []float64
	for i := range r.Rounds {
		if v := ratioValue(&r.Rounds[i]); v > 0 {
			figures = append(figures, v)
		}
	}
	c := result.ColumnOf("bandwidth.average_bytes_per_s")
	if r.Latency != nil { // a row with only the mean has it as its rounds' figures
		c = result.ColumnOf("latency.p50_ns")
	}
	text := func(v float64) string { return c.Format(v) + " " + c.Shown() }
	if l, two := confidence.TwoLevels(figures); two {
		return []result.Warning{{ID: result.WarnTwoLevels, Text: fmt.Sprintf("rounds at two levels: %s (%.0f %%) and %s (%.0f %%)",
			text(l.Low), 100*l.LowShare, text(l.High), 100*l.HighShare)}}
	}
	slices.Sort(figures)
	n := len(figures)
	if n < result.UnsteadyRounds {
		return nil
	}
	low, high := figures[n/10], figures[n-1-n/10]
	if high < result.UnsteadyRatio*low {
		return nil
	}
	return []result.Warning{{ID: result.WarnUnsteady, Text: fmt.Sprintf("unsteady rounds: 8 of 10 are between %s and %s", text(low), text(high))}}
}

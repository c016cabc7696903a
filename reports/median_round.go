package reports

import (
	"slices"

	"github.com/ibperf/ibperf/internal/ratio"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
)

// MedianRound is a number of the row as comparisons show it: the median of its rounds'
// numbers, so that a round that was held up moves it as little as it moves ratios. Where
// rounds do not have the number, or there are not several, it is that of the whole row.
func (e Entry) MedianRound(c *result.Column) float64 {
	if c.Round != nil {
		if m := e.roundMedian(c); m.N > 1 && units.Finite(m.Median) > 0 {
			return m.Median
		}
	}
	return c.Value(e.Row)
}

// RoundInterval is the 95 % interval of [Entry.MedianRound], 0 and 0 where there are too
// few rounds for one.
func (e Entry) RoundInterval(c *result.Column) (low, high float64) {
	if m := e.roundMedian(c); m.Enough && units.Finite(m.High) > 0 {
		return m.Low, m.High
	}
	return 0, 0
}

func (e Entry) roundMedian(c *result.Column) ratio.Ratio {
	var figures []float64
	var runs []int
	for i := range e.Rounds {
		figures, runs = append(figures, c.Round(&e.Rounds[i])), append(runs, e.Rounds[i].Run)
	}
	return ratio.Median(figures, runs)
}

// text is a number of the row as comparisons print it.
func (e Entry) text(c *result.Column, gbits bool) string {
	return c.Format(e.MedianRound(c), gbits)
}

// hasRounds tells whether rows of the group have several rounds.
func (g *Group) hasRounds() bool {
	return slices.ContainsFunc(g.Entries(), func(e Entry) bool { return len(e.Rounds) > 1 })
}

// comparedTitle names a number that rows of the group are compared by.
func (g *Group) comparedTitle(c *result.Column) string {
	if c.Round != nil && g.hasRounds() {
		return c.Title + " of the median round"
	}
	return c.Title
}

// medianRoundNotes say what the median round is, if there is one.
func medianRoundNotes(g *Group) []string {
	c := result.ColumnOf(compared(g)[0])
	if c.Round == nil || !g.hasRounds() {
		return nil
	}
	of := map[string]string{"latency.p50_ns": "medians", "latency.mean_ns": "means", "bandwidth.average_bytes_per_s": "averages"}[c.Field]
	return []string{c.Title + " is that of the median round, the median of the rounds' " + of + "; rows and details are of all rounds together."}
}

package rows

import (
	"slices"

	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/result"
)

// Value returns a number of the row as comparisons show it. It is computed from the same rounds as
// ratios, so that the ratio of two rows is the quotient of their values. If rounds do not have the
// number, or the row has only one round, Value returns the number of the whole row.
func (e Entry) Value(c *result.Column) float64 {
	if m := e.estimate(c); m.N > 1 && units.Finite(m.Value) > 0 {
		return m.Value
	}
	return c.Value(e.Row)
}

// ValueInterval returns the 95 % interval of [Entry.Value], or 0 and 0 if there are too few rounds
// for an interval. That of a percentile of all messages is the interval of the rounds' percentiles,
// extended to the value: a single slow round may raise the value above it.
func (e Entry) ValueInterval(c *result.Column) (low, high float64) {
	m := e.estimate(c)
	if c.Spread != nil {
		m = confidence.OfFigures(e.figures(c.Spread))
	}
	if !m.Enough || units.Finite(m.High) <= 0 {
		return 0, 0
	}
	if c.Spread != nil {
		v := e.Value(c)
		return min(m.Low, v), max(m.High, v)
	}
	return m.Low, m.High
}

// estimate estimates a number of the row from its rounds.
func (e Entry) estimate(c *result.Column) confidence.Estimate {
	s := e.Series(c)
	return confidence.OfFigures(s.Figures, s.Runs)
}

// Series returns a number of the row in each of its rounds, nothing if rounds do not have it.
func (e Entry) Series(c *result.Column) (s confidence.Series) {
	if c.Round != nil {
		s.Figures, s.Runs = e.figures(c.Round)
	}
	return s
}

// figures returns a number of each round, and the rounds' runs.
func (e Entry) figures(of func(*result.Round) float64) (figures []float64, runs []int) {
	for i := range e.Rounds {
		figures, runs = append(figures, of(&e.Rounds[i])), append(runs, e.Rounds[i].Run)
	}
	return figures, runs
}

// ValueText formats [Entry.Value].
func (e Entry) ValueText(c *result.Column) string {
	return c.Format(e.Value(c))
}

// HasRounds reports whether some row of the group has more than one round.
func (g *Group) HasRounds() bool {
	return slices.ContainsFunc(g.Entries(), func(e Entry) bool { return len(e.Rounds) > 1 })
}

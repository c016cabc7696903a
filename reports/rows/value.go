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
// for an interval.
func (e Entry) ValueInterval(c *result.Column) (low, high float64) {
	if m := e.estimate(c); m.Enough && units.Finite(m.High) > 0 {
		return m.Low, m.High
	}
	return 0, 0
}

// estimate estimates a number of the row from its rounds.
func (e Entry) estimate(c *result.Column) confidence.Estimate {
	s := e.Series(c)
	return confidence.OfFigures(s.Figures, s.Runs)
}

// Series returns a number of the row in each of its rounds, nothing if rounds do not have it.
func (e Entry) Series(c *result.Column) (s confidence.Series) {
	if c.Round == nil {
		return s
	}
	for i := range e.Rounds {
		s.Figures, s.Runs = append(s.Figures, c.Round(&e.Rounds[i])), append(s.Runs, e.Rounds[i].Run)
	}
	return s
}

// ValueText formats [Entry.Value].
func (e Entry) ValueText(c *result.Column) string {
	return c.Format(e.Value(c))
}

// HasRounds reports whether some row of the group has more than one round.
func (g *Group) HasRounds() bool {
	return slices.ContainsFunc(g.Entries(), func(e Entry) bool { return len(e.Rounds) > 1 })
}

package rows

import (
	"math"
	"strings"

	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/result"
)

// A Relation says how the speed of one mode relates to that of another: a lower latency or a higher rate is
// faster.
type Relation int

// The relations.
const (
	Unclear Relation = iota // none of the others is certain
	Same                    // the interval lies within SameDistance of 1
	Faster
	Slower
)

// SameDistance is the maximum distance from 1 of the ends of the interval of modes that are the same.
const SameDistance = 0.05

// String returns the word of tables, verdict and plots.
func (r Relation) String() string {
	return [...]string{"unclear", "same", "faster", "slower"}[r]
}

// RelationOf returns the relation according to the interval of a single point.
func RelationOf(c *result.Column, r confidence.Estimate) Relation {
	larger, smaller := Faster, Slower
	if LessIsFaster(c) {
		larger, smaller = Slower, Faster
	}
	switch {
	case !r.Enough:
		return Unclear
	case r.ExcludesOne() && r.Low > 1 && math.Log(r.Value) >= confidence.MinGain:
		return larger
	case r.ExcludesOne() && r.High < 1 && math.Log(r.Value) <= -confidence.MinGain:
		return smaller
	case math.Max(1-r.Low, r.High-1) <= SameDistance:
		return Same
	}
	return Unclear
}

// LessIsFaster reports whether a column has times, and not rates.
func LessIsFaster(c *result.Column) bool {
	return strings.HasPrefix(c.Field, "latency.") && c.Field != result.AnswersColumn
}

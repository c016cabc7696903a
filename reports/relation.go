package reports

import (
	"math"

	"github.com/ibperf/ibperf/internal/ratio"
	"github.com/ibperf/ibperf/reports/result"
)

// A Relation is what the rounds of two modes tell of them.
type Relation int

// The relations of one mode's figures to another's.
const (
	Unresolved Relation = iota // the rounds tell none of the others
	Alike                      // the interval is near 1, and no difference worth a word
	Larger                     // the interval is above 1, and the median worth a word
	Smaller                    // the same below 1
	Disturbed                  // a row was disturbed: its rounds tell nothing
)

const (
	alikeWithin = 0.05 // how far the interval of modes that are alike reaches from 1
	leastGain   = 0.03 // how far from 1 a median is worth a word
)

// relationOf judges two rows of a group by a column. Tables, plots and verdicts have it from
// here.
func relationOf(c *result.Column, e, base Entry) Relation {
	if disturbed(e, base) {
		return Disturbed
	}
	return relationOfRatio(roundRatio(c, e, base))
}

// relationOfRatio judges the ratio of rows that were not disturbed.
func relationOfRatio(r ratio.Ratio) Relation {
	switch {
	case !r.Enough:
		return Unresolved
	case r.Different() && r.Low > 1 && r.Median >= 1+leastGain:
		return Larger
	case r.Different() && r.High < 1 && r.Median <= 1-leastGain:
		return Smaller
	case math.Max(1-r.Low, r.High-1) <= alikeWithin:
		return Alike
	}
	return Unresolved
}

// apart tells whether one mode's figures are larger.
func (r Relation) apart() bool { return r == Larger || r == Smaller }

// words stand behind a ratio in tables.
func (r Relation) words() string {
	switch r {
	case Alike:
		return "no difference"
	case Unresolved:
		return "not resolved"
	case Disturbed:
		return "disturbed"
	}
	return ""
}

// cutWords separates a ratio of a table from the words behind it.
func cutWords(text string) (number, words string) {
	for _, r := range []Relation{Alike, Unresolved, Disturbed} {
		n := len(text) - len(r.words()) - 1
		if n >= 0 && text[n:] == " "+r.words() {
			return text[:n], r.words()
		}
	}
	return text, ""
}

package rows

import (
	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// ControlName is the name of the rows that repeat [result.BaseMode].
var ControlName = (&result.Row{Mode: result.BaseMode, Variant: option.VariantControl}).Name()

// A repetition is a control and the row that it repeats.
type repetition struct{ control, base *result.Row }

// repetitions returns the repetitions of a run by size; nil if the run has no control.
func repetitions(f *result.File) map[int]repetition {
	var bySize map[int]repetition
	for i := range f.Rows {
		if r := &f.Rows[i]; r.Name() == ControlName {
			if bySize == nil {
				bySize = map[int]repetition{}
			}
			bySize[r.Size] = repetition{control: r}
		}
	}
	for i := range f.Rows {
		r := &f.Rows[i]
		if pair, ok := bySize[r.Size]; ok && r.Name() == result.BaseName {
			pair.base = r
			bySize[r.Size] = pair
		}
	}
	return bySize
}

// controlAt estimates the ratio of the control to the mode that it repeats, at the size of a row. It
// returns the zero Estimate if the row's run has no control.
func controlAt(c *result.Column, e Entry) confidence.Estimate {
	if e.repeated.control == nil || e.repeated.base == nil {
		return confidence.Estimate{}
	}
	return confidence.OfRatio(pairs(c, e.repeated.control, e.repeated.base))
}

// Control returns the estimate of the control's ratio at the point, or the zero Estimate if the
// point has none.
func (p *Point) Control(c *result.Column) confidence.Estimate {
	base := p.Row(result.BaseMode)
	if base.Row == nil || base.NoRatio != "" {
		return confidence.Estimate{}
	}
	return controlAt(c, base)
}

// controlWords returns what tables print after the ratio of a control.
func controlWords(r confidence.Estimate) string {
	if r.ExcludesOne() {
		return "failed"
	}
	return ""
}

package testresult

import (
	"slices"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// compared are the modes that a comparison measures.
var compared = []option.Mode{option.ModeData, option.ModePoll, option.ModeEvent}

// Comparison returns a comparison in which the rounds of each mode are those of poll multiplied by
// times, which has a factor for each size, with 2 % of variation.
func Comparison(tb testing.TB, op option.Op, kind option.Kind, sizes []int, times map[option.Mode][]float64) *result.File {
	tb.Helper()
	var modes []option.Mode
	for _, mode := range option.Modes() {
		if times[mode] != nil || mode == option.ModePoll {
			modes = append(modes, mode)
		}
	}
	f := File(tb, op, kind, sizes, modes...)
	for i := range f.Rows {
		r := &f.Rows[i]
		for j := range r.Rounds {
			v := 1000.0
			if r.Mode != option.ModePoll {
				v *= times[r.Mode][slices.Index(sizes, r.Size)] * (0.98 + 0.04*float64(j%2))
			}
			r.Rounds[j].P50Ns, r.Rounds[j].Average = v, v
		}
	}
	return f
}

// Controlled adds a control to a comparison, whose figures are those of poll multiplied by a factor for
// each size.
func Controlled(f *result.File, factors ...float64) *result.File {
	for _, r := range f.Rows {
		if r.Mode == option.ModePoll && r.Variant == "" {
			r.Variant = option.VariantControl
			r.Rounds = append([]result.Round(nil), r.Rounds...)
			for i := range r.Rounds {
				r.Rounds[i].P50Ns *= factors[0]
				r.Rounds[i].Average *= factors[0]
			}
			factors = factors[1:]
			f.Rows = append(f.Rows, r)
		}
	}
	return f
}

// Variants returns a comparison of two sizes with all variants.
func Variants(tb testing.TB) *result.File {
	tb.Helper()
	f := File(tb, "write", option.KindBandwidth, []int{8, 65536}, compared...)
	f.Parameters.Also, f.Parameters.Runs = option.Variants(), 2
	for _, r := range f.Rows {
		switch r.Mode {
		case option.ModeData:
			f.Rows = append(f.Rows, varied(r, option.VariantLook, 1.03))
		case option.ModePoll:
			f.Rows = append(f.Rows, varied(r, option.VariantControl, 1.03))
			r.Relaxed = true
			f.Rows = append(f.Rows, varied(r, option.VariantRelaxed, 0.99))
		}
	}
	return f
}

// varied returns a row of a variant, whose rates are multiplied by a factor in every second round and
// divided by it in the others. The rates of variant look are multiplied in every round.
func varied(r result.Row, variant option.Variant, by float64) result.Row {
	r.Variant = variant
	r.Rounds = append([]result.Round(nil), r.Rounds...)
	for i := range r.Rounds {
		if i%2 == 0 || variant == option.VariantLook {
			r.Rounds[i].Average *= by
		} else {
			r.Rounds[i].Average /= by
		}
	}
	return r
}

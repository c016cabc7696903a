package compare

import (
	"slices"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// perSecond returns the rates that are measured.
func perSecond(most MaxRates) (all []float64) {
	for _, r := range rates() {
		if at := most.PerSecond(r); at > 0 {
			all = append(all, at)
		}
	}
	slices.Sort(all)
	return all
}

// Rates are shares of the maximum rate of each mode: 1, 10, 50 and 90 % of the slowest, 50 and 90 % of the others. Those
// close to another one are left out, and so are those of modes that were not measured.
func TestRatesFollowTheMaxima(t *testing.T) {
	for name, c := range map[string]struct {
		most MaxRates
		want []float64
	}{
		"four modes":  {MaxRates{"event": 100, "adaptive": 400, "poll": 1600, "data": 6400}, []float64{1, 10, 50, 90, 200, 360, 800, 1440, 3200, 5760}},
		"equal modes": {MaxRates{"event": 1000, "adaptive": 1010, "poll": 1020, "data": 1000}, []float64{10, 100, 500, 900}},
		"neighbours":  {MaxRates{"event": 100, "adaptive": 109, "poll": 119, "data": 130}, []float64{1, 10, 50, 90, 59.5, 107.1}}, // 107.1 is close only to 98.1, which is left out
		"five modes":  {MaxRates{"event": 100, "adaptive": 400, "poll": 1600, "counter": 6400, "data": 25600}, []float64{1, 10, 50, 90, 200, 360, 800, 1440, 3200, 5760, 12800, 23040}},
		"one mode":    {MaxRates{"poll": 1000}, []float64{10, 100, 500, 900}},
		"none":        {nil, nil},
	} {
		slices.Sort(c.want)
		if got := perSecond(c.most); !slices.EqualFunc(got, c.want, func(a, b float64) bool { return a > 0.999*b && a < 1.001*b }) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// The maximum rate of a mode is that of its answers in the fastest round; variants have none.
func TestMaxRatesOf(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{64}, "data", "poll")
	for i := range f.Rows {
		f.Rows[i].Load, f.Rows[i].Rounds = &result.Load{Growing: true}, nil
		for _, messages := range []uint64{500, 10, 510, 1000, 490} { // in most rounds other work had the CPU
			f.Rows[i].Rounds = append(f.Rows[i].Rounds, result.Round{Messages: messages * uint64(i+1), Seconds: 1})
		}
	}
	variant := f.Rows[1]
	variant.Variant = option.VariantControl
	f.Rows = append(f.Rows, variant)
	if most := MaxRatesOf(f); len(most) != 2 || most["data"] != 1000 || most["poll"] != 2000 {
		t.Errorf("%v", most)
	}
}

func TestRateSweepIsOfWriteAndSend(t *testing.T) {
	base := option.Defaults(option.Test{})
	base.Sizes = []int{8, 64}
	ops := map[option.Op]int{}
	for _, p := range RateSweep(&base) {
		if err := p.Plan.Check(); err != nil || !p.Plan.OpenLoop() || p.Sweep != result.SweepRate {
			t.Errorf("%s: %v", p.Name, err)
		}
		ops[p.Plan.Op]++
	}
	if len(ops) != 2 || ops[option.OpWrite] != ops[option.OpSend] {
		t.Errorf("%v", ops)
	}
}

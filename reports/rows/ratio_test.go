package rows

import (
	"math"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

func TestVariantsHaveRatiosToTheirMode(t *testing.T) {
	f := testresult.Variants(t)
	for row, r := range Groups([]*result.File{f})[0].Ratios() {
		if r.To != row.Base() {
			t.Errorf("%s is compared with %s", row.Name(), r.To)
		}
	}
}

func TestRowsHaveNoRatioIf(t *testing.T) {
	for name, change := range map[string]func(f *result.File){
		"nothing may be concluded":          func(f *result.File) { f.Rows[0].NoRatio = "no mode waits" },
		"nothing may be concluded of polls": func(f *result.File) { f.Rows[1].NoRatio = "no mode waits" },
		"too few rounds":                    func(f *result.File) { f.Rows[0].Rounds = f.Rows[0].Rounds[:4] },
		"no rounds":                         func(f *result.File) { f.Rows[1].Rounds = nil },
		"nothing to compare with":           func(f *result.File) { f.Rows[1].Mode = "event" },
	} {
		f := testresult.File(t, "write", option.KindLatency, []int{64}, "data", "poll")
		change(f)
		if all := Groups([]*result.File{f})[0].Ratios(); len(all) != 0 {
			t.Errorf("%s: ratios %v", name, all)
		}
	}
	apart := []*result.File{testresult.File(t, "write", option.KindLatency, []int{64}, "data"), testresult.File(t, "write", option.KindLatency, []int{64}, "poll")}
	if all := Groups(apart)[0].Ratios(); len(all) != 0 {
		t.Errorf("separate runs: ratios %v", all)
	}
}

// The n-th rounds of each run are paired, even if rounds of one row are missing.
func TestRoundsArePairedByRunAndPlace(t *testing.T) {
	a := &result.Row{Rounds: []result.Round{{Run: 1, P50Ns: 10}, {Run: 1, P50Ns: 20}, {Run: 2, P50Ns: 30}}}
	b := &result.Row{Rounds: []result.Round{{Run: 1, P50Ns: 1}, {Run: 2, P50Ns: 3}, {Run: 2, P50Ns: 4}}}
	as, bs, runs := pairs(result.ColumnOf("latency.p50_ns"), a, b)
	if len(as) != 2 || as[0] != 10 || bs[0] != 1 || as[1] != 30 || bs[1] != 3 || runs[1] != 2 {
		t.Errorf("pairs are %v, %v in runs %v", as, bs, runs)
	}
}

func TestRatioTextShowsOnWhichSideOfOne(t *testing.T) {
	for _, c := range []struct {
		factor float64
		want   string
	}{{1.003, "1.003 [1.003-1.003] same"}, {1.0625, "1.06 [1.06-1.06] faster"}, {0.05, "0.050 [0.050-0.050] slower"}, {250, "250 [250-250] faster"}, {58, "58.0 [58.0-58.0] faster"}, {1, "1.00 [1.00-1.00] same"}} {
		f := testresult.File(t, "write", option.KindBandwidth, []int{8}, "data", "poll")
		for i, r := range f.Rows[1].Rounds {
			f.Rows[0].Rounds[i].Average = r.Average * c.factor
		}
		if got := cellOf(f).Text(); got != c.want {
			t.Errorf("%v is printed as %q, want %q", c.factor, got, c.want)
		}
	}
}

// cellOf returns the cell of the ratio of data to poll in the first size of a bandwidth test.
func cellOf(f *result.File) RatioCell {
	g := Groups([]*result.File{f})[0]
	p := g.Points()[0]
	return g.Ratios().Cell(result.ColumnOf("bandwidth.average_bytes_per_s"), p.Row("data"), p.Row("poll"))
}

// Dividing two values of tables gives the ratio that they print.
func TestQuotientOfValuesIsTheRatio(t *testing.T) {
	f := testresult.Comparison(t, "send", option.KindBandwidth, []int{8, 64}, map[option.Mode][]float64{"data": {1.5, 0.9}, "adaptive": {1, 1.1}, "event": {0.2, 0.3}})
	for i := range f.Rows {
		for j := range f.Rows[i].Rounds {
			r := &f.Rows[i].Rounds[j]
			r.Run, r.Average = 1+j/4, r.Average*math.Exp(0.3*math.Sin(float64(7*i+j*j)))
		}
	}
	c := result.ColumnOf("bandwidth.average_bytes_per_s")
	for _, p := range Groups([]*result.File{f})[0].Points() {
		for name, e := range p.Rows {
			base := p.Row("poll")
			if r, quotient := EstimateOf(c, e, base), e.Value(c)/base.Value(c); math.Abs(quotient/r.Value-1) > 1e-9 {
				t.Errorf("%d bytes, %s: ratio %v, quotient %v", p.Size, name, r.Value, quotient)
			}
		}
	}
}

// Values count all rounds of a row. A note tells where a ratio counts fewer.
func TestRatioOfSharedRoundsHasANote(t *testing.T) {
	f := testresult.Comparison(t, "send", option.KindBandwidth, []int{8}, map[option.Mode][]float64{"data": {1.5}})
	note := func() bool { return slices.Contains(cellOf(f).Notes, noteMissing) }
	if note() {
		t.Error("rounds are missing in a whole run")
	}
	f.Rows[0].Rounds = f.Rows[0].Rounds[1:]
	if !note() {
		t.Error("no round is missing")
	}
}

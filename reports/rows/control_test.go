package rows

import (
	"math"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// A control whose interval excludes 1 widens the other intervals of its size, and no others.
func TestControlThatFailsWidensIntervals(t *testing.T) {
	times := map[option.Mode][]float64{"data": {0.8, 0.8}}
	plain := testresult.Comparison(t, "write", option.KindLatency, []int{8, 64}, times)
	controlled := testresult.Controlled(testresult.Comparison(t, "write", option.KindLatency, []int{8, 64}, times), 1.25, 1)
	c := result.ColumnOf("latency.p50_ns")
	group := Groups([]*result.File{controlled})[0]
	was, is := Groups([]*result.File{plain})[0].Points(), group.Points()
	for i, factor := range []float64{1.25, 1} {
		before, after := EstimateOf(c, was[i].Row("data"), was[i].Row("poll")), EstimateOf(c, is[i].Row("data"), is[i].Row("poll"))
		if math.Abs(after.Low*factor/before.Low-1) > 1e-9 || math.Abs(after.High/factor/before.High-1) > 1e-9 || after.Value != before.Value {
			t.Errorf("%d bytes: %+v became %+v, want a factor of %v", is[i].Size, before, after, factor)
		}
		cell := group.Ratios().Cell(c, is[i].Rows[ControlName], is[i].Row("poll"))
		if want := []string{"1.25 [1.25-1.25] failed", "1.00 [1.00-1.00]"}[i]; cell.Text() != want || !slices.Contains(cell.Notes, noteControl) {
			t.Errorf("control of %d bytes: %q, want %q", is[i].Size, cell.Text(), want)
		}
		if r := is[i].Control(c); math.Abs(r.Value-factor) > 1e-9 || !r.Enough {
			t.Errorf("control of %d bytes: %+v", is[i].Size, r)
		}
	}
	if names := Names(is); !slices.Equal(names, []string{"data", "poll"}) {
		t.Errorf("modes %q", names)
	}
}

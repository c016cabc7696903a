//go:build trials

package e2e

import (
	"math"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// repeats is the number of repetitions of each comparison, on a host with two idle CPUs.
const repeats = 20

// repeated lists the comparisons, and in each the one row whose ratio to poll is judged.
var repeated = []struct{ program, options, row string }{
	{"ib_write_lat", "--compare -s 8", "data"},
	{"ib_send_lat", "--compare -s 4K", "data"},
	{"ib_write_bw", "--compare -s 64", "data"},
}

// TestTrialOfIntervals repeats comparisons: at least nine of ten intervals hold the median of all
// repetitions, and at least nine of ten controls hold 1.
func TestTrialOfIntervals(t *testing.T) {
	w := newWorkspace(t, "*.json")
	ratios := make([][]confidence.Estimate, len(repeated))
	held, controls := 0, 0
	for range repeats {
		for i, c := range repeated {
			f := w.measure(c.program, c.options)
			ratios[i] = append(ratios[i], ratioToPoll(t, f, c.row))
			control := ratioToPoll(t, f, "poll (control)")
			if controls++; !control.ExcludesOne() {
				held++
			}
		}
	}
	within := 0
	for i, all := range ratios {
		var values []float64
		for _, r := range all {
			values = append(values, r.Value)
		}
		slices.Sort(values)
		middle := math.Sqrt(values[repeats/2-1] * values[repeats/2])
		n := 0
		for _, r := range all {
			if r.Low <= middle && middle <= r.High {
				n++
			}
			t.Logf("%s %s: %.3f [%.3f-%.3f]", repeated[i].program, repeated[i].options, r.Value, r.Low, r.High)
		}
		t.Logf("%s %s: %d of %d intervals hold %.3f", repeated[i].program, repeated[i].options, n, repeats, middle)
		within += n
	}
	t.Logf("%d of %d controls hold 1", held, controls)
	if all := repeats * len(repeated); within*10 < all*9 || held*10 < controls*9 {
		t.Errorf("%d of %d intervals hold the median of all, %d of %d controls hold 1, want nine of ten", within, all, held, controls)
	}
}

// ratioToPoll returns the ratio of a row to poll, as tables print it.
func ratioToPoll(t *testing.T, f *result.File, name string) confidence.Estimate {
	t.Helper()
	row, poll := rowOf(f, name), rowOf(f, "poll")
	if row == nil || poll == nil || len(row.Rounds) != len(poll.Rounds) {
		t.Fatalf("there are no rows %s and poll with the same rounds; not measured: %+v", name, f.NotMeasured)
	}
	column := result.ColumnOf("latency.p50_ns")
	if row.Bandwidth != nil {
		column = result.ColumnOf("bandwidth.average_bytes_per_s")
	}
	return rows.EstimateOf(column, rows.Entry{File: f, Row: row}, rows.Entry{File: f, Row: poll})
}

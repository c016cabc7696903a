package text

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// noPeakFile returns a run whose clock was read only at start and end.
func noPeakFile(t *testing.T, kind option.Kind, sizes []int, modes ...option.Mode) *result.File {
	t.Helper()
	f := testresult.File(t, "write", kind, sizes, modes...)
	f.Parameters.NoPeak = true
	for i := range f.Rows {
		r := &f.Rows[i]
		if l := r.Latency; l != nil {
			r.Latency = &result.Latency{N: l.N, MeanNs: l.MeanNs, Rate: l.Rate, Factor: l.Factor, MeanOnly: true}
			for j := range r.Rounds {
				r.Rounds[j].P50Ns = 0
			}
		} else {
			b := r.Bandwidth
			b.Slowest, b.MedianWindow, b.Peak, b.WindowS = 0, 0, 0, 0
		}
	}
	return f
}

// The file lacks what was not measured, and can be read again.
func TestUnmeasuredNumbersAreAbsent(t *testing.T) {
	for kind, absent := range map[option.Kind][]string{
		option.KindLatency:   {"min_ns", "max_ns", "stdev_ns", "p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "p99_99_ns", "histogram"},
		option.KindBandwidth: {"slowest_bytes_per_s", "median_window_bytes_per_s", "peak_bytes_per_s", "window_s"},
	} {
		f := noPeakFile(t, kind, []int{8}, "poll")
		data, err := json.Marshal(f.Rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range absent {
			if strings.Contains(string(data), name) {
				t.Errorf("%s is in %s", name, data)
			}
		}
		whole, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		again, err := result.Parse(whole)
		if err != nil {
			t.Fatal(err)
		}
		if l := f.Rows[0].Latency; l != nil && *again.Rows[0].Latency != *l {
			t.Errorf("read again: %+v, want %+v", again.Rows[0].Latency, l)
		}
		if b := f.Rows[0].Bandwidth; b != nil && *again.Rows[0].Bandwidth != *b {
			t.Errorf("read again: %+v, want %+v", again.Rows[0].Bandwidth, b)
		}
	}
}

func TestTablesWithoutPeak(t *testing.T) {
	lat := noPeakFile(t, option.KindLatency, []int{2, 64}, "data", "poll")
	lat.Local.Clock, lat.Local.ClockNs = "TSC", 12.7
	bw := noPeakFile(t, option.KindBandwidth, []int{2, 65536}, "data", "poll")
	golden.Check(t, "lat_nopeak.golden", []byte(fullText(t, false, lat)))
	golden.Check(t, "bw_nopeak.golden", []byte(fullText(t, true, bw)))
	// A mean is what such a run has in common with another.
	golden.Check(t, "lat_mixed.golden", []byte(fullText(t, false, testresult.File(t, "write", option.KindLatency, []int{2}, "data"), lat)))
}

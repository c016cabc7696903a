package plots

import (
	"encoding/json"
	"testing"

	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/result"
)

// latencies is a run that measured latency of these sizes and modes.
func latencies(tb testing.TB, sizes []int, modes ...string) *result.File {
	tb.Helper()
	return synthetic.File(tb, "write", result.KindLatency, sizes, modes...)
}

// bandwidths is a run that measured bandwidth of these sizes and modes.
func bandwidths(tb testing.TB, sizes []int, modes ...string) *result.File {
	tb.Helper()
	return synthetic.File(tb, "write", result.KindBandwidth, sizes, modes...)
}

// noPeak is a run whose clock was read at the beginning and the end only.
func noPeak(f *result.File) *result.File {
	for i := range f.Rows {
		r := &f.Rows[i]
		if l := r.Latency; l != nil {
			r.Latency = &result.Latency{N: l.N, MeanNs: l.MeanNs, Factor: l.Factor, MeanOnly: true}
		} else {
			r.Bandwidth.Peak = 0
		}
	}
	return f
}

// FuzzDraw holds that what result files may hold can be drawn.
func FuzzDraw(f *testing.F) {
	for _, file := range []*result.File{latencies(f, []int{2, 64}, "data", "poll"), bandwidths(f, []int{2, 512}, "poll", "event")} {
		data, err := json.Marshal(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"format":"ibperf-result","version":1,"kind":"lat","op":"x","rows":[{"mode":"poll","latency":{"n":0}}]}`))
	f.Add([]byte(`{"format":"ibperf-result","version":1,"kind":"bw","op":"x","rows":[{"mode":"poll","bandwidth":{"average_bytes_per_s":1e308}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := result.Parse(data)
		if err != nil {
			return
		}
		for _, s := range sketchesOf([]*result.File{file}) {
			if _, err := s.SVG(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

package plots

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/reports/result"
)

// read reads a result file in testdata.
func read(tb testing.TB, name string) *result.File {
	tb.Helper()
	f, err := result.Read(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// latencies is a run that measured latency, of these sizes and modes of it.
func latencies(tb testing.TB, sizes []int, modes ...string) *result.File {
	tb.Helper()
	return only(read(tb, "write_lat.json"), sizes, modes)
}

// bandwidths is a run that measured bandwidth, of these sizes and modes of it.
func bandwidths(tb testing.TB, sizes []int, modes ...string) *result.File {
	tb.Helper()
	return only(read(tb, "write_bw.json"), sizes, modes)
}

func only(f *result.File, sizes []int, modes []string) *result.File {
	f.Rows = slices.DeleteFunc(f.Rows, func(r result.Row) bool {
		return !slices.Contains(sizes, r.Size) || !slices.Contains(modes, r.Mode)
	})
	return f
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
	for _, name := range []string{"write_lat.json", "write_bw.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
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

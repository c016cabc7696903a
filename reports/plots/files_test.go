package plots

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/result"
)

// read reads result files in testdata.
func read(tb testing.TB, name string) reports.Set {
	tb.Helper()
	var set reports.Set
	if err := set.Read(filepath.Join("testdata", name)); err != nil {
		tb.Fatal(err)
	}
	return set
}

// latencies is a run that measured latency, of these sizes and modes of it.
func latencies(tb testing.TB, sizes []int, modes ...string) *result.File {
	tb.Helper()
	return only(read(tb, "write_lat.json").Runs[0], sizes, modes)
}

// bandwidths is a run that measured bandwidth, of these sizes and modes of it.
func bandwidths(tb testing.TB, sizes []int, modes ...string) *result.File {
	tb.Helper()
	return only(read(tb, "write_bw.json").Runs[0], sizes, modes)
}

func only(f *result.File, sizes []int, modes []string) *result.File {
	f.Rows = slices.DeleteFunc(f.Rows, func(r result.Row) bool {
		return !slices.Contains(sizes, r.Size) || !slices.Contains(modes, r.Mode)
	})
	return f
}

// comparison is of three lines, one of each metric and arrival, with so many pairs.
func comparison(tb testing.TB, pairs int) *reports.Comparison {
	tb.Helper()
	c := read(tb, "comparison.json").Comparisons[0]
	for i := range c.Lines {
		l := &c.Lines[i]
		subject, reference := l.Subject.Rounds, l.Reference.Rounds
		l.Subject.Rounds, l.Reference.Rounds = nil, nil
		for j := range pairs {
			l.Add(subject[j], reference[j])
		}
	}
	return c
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
	for _, name := range []string{"write_lat.json", "write_bw.json", "comparison.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"format":"ibperf-result","version":1,"kind":"lat","op":"x","rows":[{"mode":"poll","latency":{"n":0}}]}`))
	f.Add([]byte(`{"format":"ibperf-result","version":1,"kind":"bw","op":"x","rows":[{"mode":"poll","bandwidth":{"average_bytes_per_s":1e308}}]}`))
	f.Add([]byte(`{"format":"ibperf-comparison","version":2,"lines":[` +
		`{"test":"x","arrival":"poll","metric":"p50_ns","subject":{"program":{"name":"a"},"rounds":[1e18],"median":1e18},` +
		`"reference":{"program":{"name":"a"},"rounds":[1e-9],"median":1e-9},"ratio":{"median":1e27,"q1":1e27,"q3":1e27}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var set reports.Set
		if c, err := reports.ParseComparison(data); err == nil {
			set.Comparisons = append(set.Comparisons, c)
		} else if file, err := result.Parse(data); err == nil {
			set.Runs = append(set.Runs, file)
		}
		for _, s := range sketchesOf(set) {
			if _, err := s.svg(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

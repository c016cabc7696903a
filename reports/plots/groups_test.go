package plots

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/result"
)

// figuresOf are the names of the plots of files without device and transport, details in
// brackets.
func figuresOf(files ...*result.File) (names []string) {
	for _, s := range sketchesOf(files, nil) {
		name := strings.TrimSuffix(s.Name, "_shm_whole_RC")
		if s.Detail {
			name = "(" + name + ")"
		}
		names = append(names, name)
	}
	return names
}

func TestFiguresOfATest(t *testing.T) {
	for _, c := range []struct {
		name string
		file *result.File
		want []string
	}{
		{"latency", latencies(t, []int{2, 64}, "data", "poll"),
			[]string{"write_lat_by_size", "write_lat_ratio", "write_lat_busy", "(write_lat_percentiles_2)", "(write_lat_percentiles_64)", "(write_lat_rounds)"}},
		{"latency of one size", latencies(t, []int{64}, "data", "poll"),
			[]string{"write_lat_by_mode_64", "write_lat_busy", "write_lat_percentiles_64", "(write_lat_rounds)"}},
		{"latency of one mode", latencies(t, []int{2, 64}, "poll"), nil},
		{"bandwidth", bandwidths(t, []int{2, 64}, "data", "poll"), []string{"write_bw_by_size", "write_bw_rate_by_size", "write_bw_ratio", "(write_bw_rounds)"}},
		{"bandwidth of one size", bandwidths(t, []int{64}, "data", "poll"), []string{"write_bw_by_mode_64", "(write_bw_rounds)"}},
		{"bandwidth of one mode", bandwidths(t, []int{64}, "poll"), nil},
		{"nothing", latencies(t, nil), nil},
	} {
		if got := figuresOf(c.file); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSweepsHaveOnlyTheirOwnPlots(t *testing.T) {
	if got, want := figuresOf(alongQPs(t, option.KindBandwidth, 2, 2, 2)...), []string{"write_bw_qps_64"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := figuresOf(alongPause(t)...), []string{"write_lat_pause_64", "write_lat_pause_busy_64"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCheckedRunsHaveNoPlots(t *testing.T) {
	f := bandwidths(t, []int{2, 64}, "data", "poll")
	f.Parameters.Verify = true
	if got := figuresOf(f); got != nil {
		t.Errorf("plots %q", got)
	}
}

// Files of version 1 have no rounds, and do not know how busy a core was.
func TestPlotsOfVersion1(t *testing.T) {
	f, err := result.Read("../../result/testdata/version1.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, svg := range drawings(t, f) {
		for _, absent := range []string{"interval", "rounds", "NaN"} {
			if strings.Contains(svg, absent) {
				t.Errorf("%s says %q", name, absent)
			}
		}
		if strings.Contains(name, "busy") || strings.Contains(name, "ratio") {
			t.Errorf("there is %s", name)
		}
	}
}

// latencies is a run that measured latency of these sizes and modes.
func latencies(tb testing.TB, sizes []int, modes ...option.Mode) *result.File {
	tb.Helper()
	return testresult.File(tb, "write", option.KindLatency, sizes, modes...)
}

// bandwidths is a run that measured bandwidth of these sizes and modes.
func bandwidths(tb testing.TB, sizes []int, modes ...option.Mode) *result.File {
	tb.Helper()
	return testresult.File(tb, "write", option.KindBandwidth, sizes, modes...)
}

// noPeak returns a run whose clock was read at the beginning and the end only.
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
		for _, s := range sketchesOf([]*result.File{file}, nil) {
			if _, err := s.Encode(chart.SVG, chart.Style{}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

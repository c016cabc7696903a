package plots

import (
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports/result"
)

// figuresOf are the names of the plots of files without device and transport, details in
// brackets.
func figuresOf(files ...*result.File) (names []string) {
	for _, s := range sketchesOf(files) {
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
			[]string{"write_lat_by_size", "write_lat_ratio", "write_lat_busy", "(write_lat_percentiles_2)", "(write_lat_percentiles_64)"}},
		{"latency of one size", latencies(t, []int{64}, "data", "poll"),
			[]string{"write_lat_by_mode_64", "write_lat_ratio", "write_lat_busy", "write_lat_percentiles_64"}},
		{"latency of one mode", latencies(t, []int{64}, "poll"), []string{"write_lat_by_mode_64", "write_lat_busy", "write_lat_percentiles_64"}},
		{"bandwidth", bandwidths(t, []int{2, 64}, "data", "poll"), []string{"write_bw_by_size", "write_bw_rate_by_size", "write_bw_ratio"}},
		{"bandwidth of one size", bandwidths(t, []int{64}, "data", "poll"), []string{"write_bw_by_mode_64", "write_bw_ratio"}},
		{"bandwidth of one mode", bandwidths(t, []int{64}, "poll"), []string{"write_bw_by_mode_64"}},
		{"nothing", latencies(t, nil), nil},
	} {
		if got := figuresOf(c.file); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSweepsHaveOnlyTheirOwnPlots(t *testing.T) {
	if got, want := figuresOf(alongQPs(t, result.KindBandwidth, 2, 2, 2)...), []string{"write_bw_qps_64"}; !slices.Equal(got, want) {
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
	f, err := result.Read("../result/testdata/version1.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, svg := range drawings(t, f) {
		for _, absent := range []string{"interval", "rounds", "median round", "NaN"} {
			if strings.Contains(svg, absent) {
				t.Errorf("%s says %q", name, absent)
			}
		}
		if strings.Contains(name, "busy") || strings.Contains(name, "ratio") {
			t.Errorf("there is %s", name)
		}
	}
}

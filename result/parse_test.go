package result_test

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

func TestParseRefuses(t *testing.T) {
	lat := func(change func(*result.File)) *result.File {
		f := testresult.File(t, "write", option.KindLatency, []int{8}, "poll")
		change(f)
		return f
	}
	bw := func(change func(*result.File)) *result.File {
		f := testresult.File(t, "write", option.KindBandwidth, []int{8}, "poll")
		change(f)
		return f
	}
	for _, c := range []struct {
		name string
		file *result.File
		want string
	}{
		{"another format", lat(func(f *result.File) { f.Format = "perftest" }), "not a result file"},
		{"a newer version", lat(func(f *result.File) { f.Version = result.FormatVersion + 1 }), "use a newer ibperf"},
		{"no version", lat(func(f *result.File) { f.Version = 0 }), "version 0"},
		{"an unknown kind", lat(func(f *result.File) { f.Kind = "speed" }), "kind"},
		{"no operation", lat(func(f *result.File) { f.Op = "" }), "op is missing"},
		{"a latency row without latency", lat(func(f *result.File) { f.Rows[0].Latency = nil }), "row 1: latency is missing"},
		{"a bandwidth row without bandwidth", bw(func(f *result.File) { f.Rows[0].Bandwidth = nil }), "row 1: bandwidth is missing"},
		{"an unknown mode", lat(func(f *result.File) { f.Rows[0].Mode = "guess" }), "mode"},
		{"a negative size", lat(func(f *result.File) { f.Rows[0].Size = -1 }), "size_bytes"},
		{"a negative latency", lat(func(f *result.File) { f.Rows[0].Latency.P50Ns = -1 }), "percentiles"},
		{"a negative rate", bw(func(f *result.File) { f.Rows[0].Bandwidth.Peak = -1 }), "peak"},
		{"a rate beyond all measure", bw(func(f *result.File) { f.Rows[0].Bandwidth.Average = 1e300 }), "average"},
		{"a negative CPU time", bw(func(f *result.File) { f.Rows[0].Local.CPUNs = -1 }), "cpu_ns_per_message"},
		{"an unknown variant", lat(func(f *result.File) { f.Rows[0].Variant = "guess" }), "variant"},
		{"a negative part of the time", lat(func(f *result.File) { f.Rows[0].Peer.Busy = -1 }), "busy"},
		{"a negative round", lat(func(f *result.File) { f.Rows[0].Rounds[1].P50Ns = -1 }), "round 2"},
		{"a missing row of no mode", lat(func(f *result.File) { f.NotMeasured = []result.Missing{{Size: 8, Mode: "guess"}} }), "not_measured"},
		{"no histogram", lat(func(f *result.File) { f.Rows[0].Latency.Histogram = "" }), "histogram"},
		{"half a histogram", lat(func(f *result.File) { f.Rows[0].Latency.Histogram = f.Rows[0].Latency.Histogram[:24] }), "histogram"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := json.Marshal(c.file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := result.Parse(data); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestParseNamesANewerVersionWhateverItHolds(t *testing.T) {
	_, err := result.Parse([]byte(`{"format": "ibperf-result", "version": 99, "rows": "elsewhere"}`))
	if err == nil || !strings.Contains(err.Error(), "version 99") {
		t.Errorf("error is %v", err)
	}
}

func TestFilesOfTheFirstVersionAreRead(t *testing.T) {
	f, err := result.Read(filepath.Join("testdata", "version1.json"))
	if err != nil || f.Version != 1 || len(f.Rows) == 0 || f.Rows[0].Bandwidth.Average == 0 {
		t.Fatal(err)
	}
	if got := f.Definition(result.MainField(f.Kind)); got != f.Definitions["average_bytes_per_s"] {
		t.Errorf("its average is %q", got)
	}
}

// In version 2, the completion mode of a comparison was "compare".
func TestFilesOfTheSecondVersionAreRead(t *testing.T) {
	f, err := result.Read(filepath.Join("testdata", "version2.json"))
	if err != nil || f.Version != 2 || len(f.Rows) == 0 {
		t.Fatal(err)
	}
	want := option.Defaults(option.Test{Op: option.OpWrite, Kind: option.KindLatency})
	want.Sizes, want.Iterations, want.Offset, want.MTU, want.Inline = []int{8}, 100, 5, 4096, 220
	want.Compare, want.Completion, want.Touch, want.Rounds, want.Runs = true, option.ModeAuto, option.TouchRead, 2, 1
	want.Gap, want.Also, want.Threads = 10*time.Microsecond, []option.Variant{option.VariantControl}, f.Parameters.Threads
	if p := f.Parameters.Plan; !reflect.DeepEqual(p, want) || f.Parameters.Transport != "RC" || len(f.Parameters.Modes) != 3 {
		t.Errorf("parameters are %+v", f.Parameters)
	}
}

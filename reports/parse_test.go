package reports

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseRefuses(t *testing.T) {
	lat := func(change func(*File)) *File {
		f := syntheticFile(t, "write", KindLatency, []int{8}, "poll")
		change(f)
		return f
	}
	bw := func(change func(*File)) *File {
		f := syntheticFile(t, "write", KindBandwidth, []int{8}, "poll")
		change(f)
		return f
	}
	for _, c := range []struct {
		name string
		file *File
		want string
	}{
		{"another format", lat(func(f *File) { f.Format = "perftest" }), "not a result file"},
		{"a newer version", lat(func(f *File) { f.Version = 2 }), "use a newer ibperf"},
		{"no version", lat(func(f *File) { f.Version = 0 }), "version 0"},
		{"an unknown kind", lat(func(f *File) { f.Kind = "speed" }), "kind"},
		{"no operation", lat(func(f *File) { f.Op = "" }), "op is missing"},
		{"a latency row without latency", lat(func(f *File) { f.Rows[0].Latency = nil }), "row 1: latency is missing"},
		{"a bandwidth row without bandwidth", bw(func(f *File) { f.Rows[0].Bandwidth = nil }), "row 1: bandwidth is missing"},
		{"an unknown mode", lat(func(f *File) { f.Rows[0].Mode = "guess" }), "mode"},
		{"a negative size", lat(func(f *File) { f.Rows[0].Size = -1 }), "size_bytes"},
		{"a negative latency", lat(func(f *File) { f.Rows[0].Latency.P50Ns = -1 }), "percentiles"},
		{"a negative rate", bw(func(f *File) { f.Rows[0].Bandwidth.Peak = -1 }), "peak"},
		{"a rate beyond all measure", bw(func(f *File) { f.Rows[0].Bandwidth.Average = 1e300 }), "average"},
		{"a negative CPU time", bw(func(f *File) { f.Rows[0].Local.CPUNs = -1 }), "cpu_ns_per_message"},
		{"no histogram", lat(func(f *File) { f.Rows[0].Latency.Histogram = "" }), "histogram"},
		{"half a histogram", lat(func(f *File) { f.Rows[0].Latency.Histogram = f.Rows[0].Latency.Histogram[:24] }), "histogram"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := json.Marshal(c.file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Parse(data); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestParseNamesANewerVersionWhateverItHolds(t *testing.T) {
	_, err := Parse([]byte(`{"format": "ibperf-result", "version": 3, "rows": "elsewhere"}`))
	if err == nil || !strings.Contains(err.Error(), "version 3") {
		t.Errorf("error is %v", err)
	}
}

// FuzzParse holds that what Parse accepts can be printed.
func FuzzParse(f *testing.F) {
	for _, kind := range []string{KindLatency, KindBandwidth} {
		file := syntheticFile(f, "write", kind, []int{2, 4096}, "data", "poll")
		file.Rows[0].Verify = &Verify{Messages: 10, Torn: 1, First: "byte 7"}
		data, err := json.Marshal(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"format":"ibperf-result","version":1,"kind":"lat","op":"x","rows":[{"mode":"poll","latency":{"n":0}}]}`))
	f.Add([]byte(`{"format":"ibperf-result","version":1,"kind":"bw","op":"x","rows":[{"mode":"poll","bandwidth":{"average_bytes_per_s":1e308}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			return
		}
		var b strings.Builder
		if err := WriteTables(&b, Set{Runs: []*File{file, file}}, true, Full); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"NaN", "+Inf", "-Inf"} {
			if strings.Contains(b.String(), bad) && !strings.Contains(string(data), bad) {
				t.Errorf("tables contain %s", bad)
			}
		}
	})
}

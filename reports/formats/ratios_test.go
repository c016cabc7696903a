package formats

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// compared returns a comparison in which data is faster up to 64 bytes and by chance at 64 KiB, event is
// slower, and a row of adaptive was disturbed.
func compared(t *testing.T) *result.File {
	f := testresult.Comparison(t, "write", option.KindLatency, []int{8, 64, 512, 4096, 65536}, map[option.Mode][]float64{
		"data": {0.5, 0.5, 2, 2, 0.9}, "adaptive": {0.5, 0.5, 1, 1, 1}, "event": {20, 20, 20, 20, 20},
	})
	f = testresult.Controlled(f, 1, 1, 1, 1, 1)
	for i := range f.Rows {
		if r := &f.Rows[i]; r.Mode == option.ModeAdaptive && r.Size == 8 {
			r.Warnings = append(r.Warnings, result.Warning{ID: "preempted", Text: "other work took the CPU"})
		}
	}
	return f
}

// wantRatios are the ratios of compared: value, relation and note, by size and name.
var wantRatios = []struct {
	size           int
	name           string
	value          float64
	relation, note string
}{
	{8, "data", 0.5, "faster", ""}, {4096, "data", 2, "slower", ""}, {4096, "adaptive", 1, "same", ""}, {65536, "data", 0.9, "unclear", noteIsland},
	{8, "adaptive", 0.5, "unclear", noteDisturbed}, {64, "event", 20, "slower", ""}, {8, "poll (control)", 1, "same", ""},
}

// alike reports whether a ratio is the wanted one within the variation of its rounds.
func alike(got, want float64) bool { return math.Abs(got/want-1) < 0.02 }

func TestCSVHasRatios(t *testing.T) {
	f := compared(t)
	lines, err := csv.NewReader(strings.NewReader(inFormat(t, option.FormatCSV, f))).ReadAll()
	if err != nil || len(lines) != 1+len(f.Rows) {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for i := range f.Rows {
		row, line := &f.Rows[i], map[string]string{}
		for j, name := range lines[0] {
			line[name] = lines[1+i][j]
		}
		if row.Name() == "poll" {
			if all := line["ratio"] + line["ratio_low"] + line["ratio_high"] + line["relation"] + line["ratio_of"] + line["ratio_to"]; all != "" {
				t.Errorf("poll is compared with itself: %q", all)
			}
			continue
		}
		for _, want := range wantRatios {
			if want.size != row.Size || want.name != row.Name() {
				continue
			}
			var v [3]float64
			for j, name := range []string{"ratio_low", "ratio", "ratio_high"} {
				if v[j], err = strconv.ParseFloat(line[name], 64); err != nil {
					t.Error(err)
				}
			}
			if !alike(v[1], want.value) || v[0] > v[1] || v[1] > v[2] || line["relation"] != want.relation || line["ratio_note"] != want.note || line["ratio_of"] != "latency.p50_ns" || line["ratio_to"] != "poll" {
				t.Errorf("%d bytes, %s: ratio %v, %q, %q of %s to %s", row.Size, row.Name(), v, line["relation"], line["ratio_note"], line["ratio_of"], line["ratio_to"])
			}
		}
	}
}

func TestReportHasFilesAndRatios(t *testing.T) {
	f, alone := compared(t), testresult.File(t, "read", option.KindBandwidth, []int{8}, "poll")
	var b bytes.Buffer
	if err := WriteReport(&b, []*result.File{f, alone}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Format  string
		Version int
		Runs    []json.RawMessage
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got.Format != "ibperf-report" || got.Version != 1 || len(got.Runs) != 2 {
		t.Fatalf("%s %d, %d runs, %v", got.Format, got.Version, len(got.Runs), err)
	}
	for i, file := range []*result.File{f, alone} {
		read, err := result.Parse(got.Runs[i])
		if err != nil || len(read.Rows) != len(file.Rows) || read.Program != file.Program {
			t.Fatalf("run %d is no result file: %v", i, err)
		}
	}
	var run struct {
		Rows []struct {
			Ratio *struct {
				Of, To, Relation, Note string
				Value, Low, High       float64
			}
		}
	}
	if err := json.Unmarshal(got.Runs[0], &run); err != nil {
		t.Fatal(err)
	}
	for i := range f.Rows {
		for _, want := range wantRatios {
			if r := run.Rows[i].Ratio; want.size == f.Rows[i].Size && want.name == f.Rows[i].Name() &&
				(r == nil || !alike(r.Value, want.value) || r.Low > r.Value || r.Value > r.High || r.Relation != want.relation || r.Note != want.note || r.Of != "latency.p50_ns" || r.To != "poll") {
				t.Errorf("%d bytes, %s: %+v", want.size, want.name, r)
			}
		}
		if f.Rows[i].Name() == "poll" && run.Rows[i].Ratio != nil {
			t.Error("poll is compared with itself")
		}
	}
}

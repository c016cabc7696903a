package main

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// resultOf writes the result file of a run as ibperf would, into a new folder.
func resultOf(t *testing.T, b bench, change func(*result.File)) string {
	t.Helper()
	f := &result.File{Header: result.FileHeader(), Op: b.Op, Kind: b.Kind,
		Warnings: []result.Warning{{ID: "software-device", Text: "software"}},
		Rows: []result.Row{{Size: b.size, Mode: b.mode, Warnings: []result.Warning{
			{ID: "few-samples", Text: "few"}, {ID: "short-run", Text: "short"}}}}}
	if b.Kind == option.KindLatency {
		f.Rows[0].Latency = &result.Latency{P50Ns: 40000, MeanNs: 41000}
	} else {
		f.Rows[0].Bandwidth = &result.Bandwidth{Average: 26e6, MsgRate: 25000}
	}
	change(f)
	dir := t.TempDir()
	if err := f.Write(resultPath(dir)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestResultFilesAreUnderstood(t *testing.T) {
	for b, want := range map[bench]float64{
		latency("send", 2, "event", 1000): 40000, mean(latency("write", 8, "data", 1000)): 41000,
		bandwidth("read", 65536, "poll", 500): 26e6, bandwidth("write", 8, "event", 500): 25000,
	} {
		r, err := (&ibperf{}).read(b, "", resultOf(t, b, func(*result.File) {}))
		if err != nil || r.value != want {
			t.Errorf("%s: %v, %v, want %v", b, r.value, err, want)
		}
		if len(r.programWarnings) != 1 || r.programWarnings[0].Text != "software" || len(r.runWarnings) != 1 || r.runWarnings[0].Text != "ibperf: short" {
			t.Errorf("%s: warnings are %v, doubts %v", b, r.programWarnings, r.runWarnings)
		}
	}
}

func TestResultFilesOfSomethingElseAreRefused(t *testing.T) {
	b := latency("write", 2, "data", 1000)
	for name, change := range map[string]func(*result.File){
		"another size":   func(f *result.File) { f.Rows[0].Size = 4 },
		"another mode":   func(f *result.File) { f.Rows[0].Mode = "poll" },
		"no row":         func(f *result.File) { f.Rows = nil },
		"no measurement": func(f *result.File) { f.Rows[0].Latency.P50Ns = 0 },
	} {
		if r, err := (&ibperf{}).read(b, "", resultOf(t, b, change)); err == nil {
			t.Errorf("%s: read as %v", name, r)
		}
	}
	slept := bandwidth("read", 8, "event", 1000)
	unslept := resultOf(t, slept, func(f *result.File) {
		f.Rows, f.NotMeasured = nil, []result.Missing{{Size: 8, Mode: "event", Why: "no sleep happened"}}
	})
	if _, err := (&ibperf{}).read(slept, "", unslept); err == nil || !strings.Contains(err.Error(), "no sleep happened") {
		t.Errorf("not measured: %v", err)
	}
	if _, err := (&ibperf{}).read(b, "", t.TempDir()); err == nil || !strings.Contains(err.Error(), "result.json") {
		t.Errorf("no file: %v", err)
	}
}

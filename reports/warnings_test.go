package reports

import (
	"slices"
	"testing"
)

func TestRowWarningsNameSizesAndModes(t *testing.T) {
	f := syntheticFile(t, "write", KindBandwidth, []int{2, 4, 8, 16, 64, 128}, "data", "poll")
	few := []Warning{{ID: "few", Text: "few messages"}}
	for i := range f.Rows {
		r := &f.Rows[i]
		if r.Mode == "data" && r.Size != 16 || r.Size == 128 {
			r.Warnings = few
		}
	}
	want := []string{"size 2-8, 64, 128 data; 128 poll: few messages"}
	if got := rowWarnings(f); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWarningsOfSeveralRunsAreOneLine(t *testing.T) {
	a := syntheticFile(t, "write", KindBandwidth, []int{8}, "data")
	b := syntheticFile(t, "write", KindBandwidth, []int{8}, "data")
	a.Warnings = []Warning{{"x", "both"}}
	b.Warnings = []Warning{{"x", "both"}, {"y", "second"}}
	b.Error = "peer lost"
	b.Rows[0].Forced = true
	got := groupFiles([]*File{a, b})[0].WarningLines()
	want := []string{"[1] [2] both", "[2] second", "[2] the run ended early: peer lost",
		"[2] data! rows are unsafe: they polled memory although the device does not promise the order that needs"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGivenWarningsAreNotRepeated(t *testing.T) {
	f := &File{Interrupted: true, Warnings: []Warning{{"interrupted", "stopped by SIGINT"}}}
	if got := f.notices(); len(got) != 1 || got[0].Text != "stopped by SIGINT" {
		t.Errorf("got %v", got)
	}
}

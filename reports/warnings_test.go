package reports

import (
	"slices"
	"testing"

	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/result"
)

func TestRowWarningsNameSizesAndModes(t *testing.T) {
	f := synthetic.File(t, "write", result.KindBandwidth, []int{2, 4, 8, 16, 64, 128}, "data", "poll")
	few := []result.Warning{{ID: "few", Text: "few messages"}}
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

func TestRowsOfTheSameSizesAreNamedTogether(t *testing.T) {
	f := synthetic.File(t, "write", result.KindBandwidth, []int{8, 64}, "data", "poll", "event")
	for i := range f.Rows {
		if f.Rows[i].Mode != "poll" {
			f.Rows[i].Warnings = []result.Warning{{ID: "few", Text: "few messages"}}
		}
	}
	if got := rowWarnings(f); !slices.Equal(got, []string{"size 8, 64 data, event: few messages"}) {
		t.Errorf("got %q", got)
	}
}

func TestWarningsOfSeveralRunsAreOneLine(t *testing.T) {
	a := synthetic.File(t, "write", result.KindBandwidth, []int{8}, "data")
	b := synthetic.File(t, "write", result.KindBandwidth, []int{8}, "data")
	a.Warnings = []result.Warning{{ID: "x", Text: "both"}}
	b.Warnings = []result.Warning{{ID: "x", Text: "both"}, {ID: "y", Text: "second"}}
	b.Error = "peer lost"
	b.Rows[0].Forced = true
	got := Groups([]*result.File{a, b})[0].WarningLines()
	want := []string{"[1] [2] both", "[2] second", "[2] the run ended early: peer lost",
		"[2] data! rows are unsafe: they polled memory although the device does not promise the order that needs"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGivenWarningsAreNotRepeated(t *testing.T) {
	f := &result.File{Interrupted: true, Warnings: []result.Warning{{ID: "interrupted", Text: "stopped by SIGINT"}}}
	if got := notices(f); len(got) != 1 || got[0].Text != "stopped by SIGINT" {
		t.Errorf("got %v", got)
	}
}

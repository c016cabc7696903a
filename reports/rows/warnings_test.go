package rows

import (
	"slices"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

func TestRowWarningsNameSizesAndModes(t *testing.T) {
	f := testresult.File(t, "write", option.KindBandwidth, []int{2, 4, 8, 16, 64, 128}, "data", "poll")
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
	f := testresult.File(t, "write", option.KindBandwidth, []int{8, 64}, "data", "poll", "event")
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
	a := testresult.File(t, "write", option.KindBandwidth, []int{8}, "data")
	b := testresult.File(t, "write", option.KindBandwidth, []int{8}, "data")
	a.Warnings = []result.Warning{{ID: "x", Text: "both"}}
	b.Warnings = []result.Warning{{ID: "x", Text: "both"}, {ID: "y", Text: "second"}}
	b.Error = "peer lost"
	b.Rows[0].Forced = true
	got := Groups([]*result.File{a, b})[0].WarningLines()
	want := []string{"[1] [2] both", "[2] second", "[2] the run ended early: peer lost",
		"[2] data! rows are unsafe: they polled memory although the device does not promise the data order that this requires"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGivenWarningsAreNotRepeated(t *testing.T) {
	f := &result.File{Interrupted: true, Warnings: []result.Warning{{ID: "interrupted", Text: "stopped by SIGINT"}}}
	if got := Notices(f); len(got) != 1 || got[0].Text != "stopped by SIGINT" {
		t.Errorf("got %v", got)
	}
}

// Warnings about the variation of rounds differ from row to row and are one line for each mode.
func TestVariationOfRoundsIsOneLineForEachMode(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{8, 64, 512}, "data", "poll")
	for i, text := range []string{"rounds at two levels: 1 usec (70 %) and 2 usec (30 %)", "unsteady rounds: 8 of 10 are between 1 usec and 3 usec", "rounds at two levels: 4 usec (50 %) and 8 usec (50 %)"} {
		id := []result.WarningID{result.WarnTwoLevels, result.WarnUnsteady}[i%2]
		f.Rows[2*i].Warnings = []result.Warning{{ID: id, Text: text}}
		if got, want := (Entry{Row: &f.Rows[2*i]}).Marks(), []string{"=", "~"}[i%2]; got != want {
			t.Errorf("marks of %q: %q, want %q", text, got, want)
		}
	}
	want := []string{"data, rounds at two levels: size 8: 1 usec (70 %) and 2 usec (30 %); size 512: 4 usec (50 %) and 8 usec (50 %)",
		"data, unsteady rounds: size 64: 8 of 10 are between 1 usec and 3 usec"}
	if got := rowWarnings(f); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

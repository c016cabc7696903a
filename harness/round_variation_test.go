package harness

import (
	"slices"
	"testing"

	"github.com/ibperf/ibperf/result"
)

func TestVariationOfRoundsIsReported(t *testing.T) {
	steady := slices.Repeat([]float64{100, 140, 120, 0}, 7)
	for _, c := range []struct {
		what    string
		figures []float64
		id      result.WarningID
		text    string
	}{
		{"two levels", slices.Repeat([]float64{270_000, 65_000, 65_100, 64_900}, 5), result.WarnTwoLevels, "rounds at two levels: 65.00 usec (75 %) and 270.00 usec (25 %)"},
		{"unsteady", slices.Repeat([]float64{100_000, 120_000, 140_000, 160_000, 180_000}, 4), result.WarnUnsteady, "unsteady rounds: 8 of 10 are between 100.00 usec and 180.00 usec"},
		{"steady", steady, "", ""},
		{"few", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, "", ""},
		{"none", nil, "", ""},
	} {
		r := &result.Row{Latency: &result.Latency{}}
		for _, v := range c.figures {
			r.Rounds = append(r.Rounds, result.Round{P50Ns: v})
		}
		got := variationWarnings(r)
		if c.id == "" && len(got) == 0 {
			continue
		}
		if len(got) != 1 || got[0] != (result.Warning{ID: c.id, Text: c.text}) {
			t.Errorf("%s: %+v", c.what, got)
		}
	}
}

// Rounds of several files form two levels, although no file has enough of them.
func TestVariationOfMergedRounds(t *testing.T) {
	var parts []result.Row
	for i := range 10 {
		v := []float64{1e9, 3e9}[i%2]
		parts = append(parts, result.Row{Mode: "poll", Bandwidth: &result.Bandwidth{Seconds: 1, Average: v, Messages: 1}, Rounds: []result.Round{{Average: v}, {Average: v}}})
	}
	merged, err := mergeRow(&result.File{}, parts)
	if err != nil || !slices.ContainsFunc(merged.Warnings, func(w result.Warning) bool { return w.ID == result.WarnTwoLevels }) {
		t.Errorf("%v, warnings %+v", err, merged.Warnings)
	}
}

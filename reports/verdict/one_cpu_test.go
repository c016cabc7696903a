package verdict

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// What event costs depends on where the threads are, so the verdict says both.
func TestEventOnOneCPUIsCompared(t *testing.T) {
	f := testresult.Comparison(t, option.OpSend, option.KindLatency, []int{8}, map[option.Mode][]float64{"data": {0.6}, "event": {40}})
	if text := Judge([]*result.File{f}).Text(0); strings.Contains(text, "one CPU") {
		t.Errorf("without such rows:\n%s", text)
	}
	for _, r := range f.Rows {
		if r.Mode != option.ModeEvent {
			continue
		}
		one := r
		one.Variant, one.Rounds = option.VariantSameCPU, nil
		for _, round := range r.Rounds {
			round.P50Ns /= 4
			one.Rounds = append(one.Rounds, round)
		}
		f.Rows = append(f.Rows, one)
	}
	for i := range f.Rows {
		f.Rows[i].Distances = []string{"same L3"}
	}
	want := "event with both threads on one CPU takes 0.25 of its time with the threads apart (same L3)"
	if text := Judge([]*result.File{f}).Text(0); !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
		t.Errorf("want %q:\n%s", want, text)
	}
}

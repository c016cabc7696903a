package plots

import (
	"testing"

	"github.com/ibperf/ibperf/reports/result"
)

// A line in red is about wrong, unsafe or missing numbers; others are read calmly.
func TestOnlyTroubleAlarms(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *result.File)
		want   bool
	}{
		"clocks":     {func(f *result.File) { f.Warnings = append(f.Warnings, result.Warning{ID: "clock", Text: "the clocks drift"}) }, false},
		"an error":   {func(f *result.File) { f.Error = "gone" }, true},
		"forced":     {func(f *result.File) { f.Rows[0].Forced = true }, true},
		"wrong data": {func(f *result.File) { f.Rows[0].Verify = &result.Verify{Messages: 9, Stale: 1} }, true},
	} {
		f := latencies(t, []int{8, 64}, "data", "poll")
		c.change(f)
		if got := sketchesOf([]*result.File{f})[0].Alarming; got != c.want {
			t.Errorf("%s: alarming is %v", name, got)
		}
	}
}

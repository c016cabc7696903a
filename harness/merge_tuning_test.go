package harness

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/result"
)

// Counters of all runs are added up, the busiest sibling is kept, and the merged files stay as they were.
func TestMergeOfTuning(t *testing.T) {
	a, b := twoRuns(t)
	a.Findings = []result.Finding{{ID: "mtu"}}
	a.Local.Tuning = &result.Tuning{Cores: 4, Growth: map[string]uint64{"symbol_error": 1}, Sibling: &result.Sibling{CPU: 1, Busy: 0.5}}
	b.Local.Tuning = &result.Tuning{Cores: 4, Growth: map[string]uint64{"symbol_error": 2, "np_cnp_sent": 4}, Sibling: &result.Sibling{CPU: 2, Busy: 0.7}}
	f := merged(t, a, b)
	got := f.Local.Tuning
	if fmt.Sprint(got.Growth, got.Sibling.CPU, got.Cores) != "map[np_cnp_sent:4 symbol_error:3] 2 4" || f.Findings != nil {
		t.Errorf("merged %v, %+v, %v", got, got.Sibling, f.Findings)
	}
	if fmt.Sprint(a.Local.Tuning.Growth) != "map[symbol_error:1]" {
		t.Errorf("the first file has changed: %v", a.Local.Tuning.Growth)
	}
	b.Local.Tuning = nil
	if got := merged(t, a, b).Local.Tuning; fmt.Sprint(got.Growth) != "map[symbol_error:1]" {
		t.Errorf("merged with a file without facts: %v", got.Growth)
	}
	a.Local.Tuning = nil
	if got := merged(t, a, b).Local.Tuning; got != nil {
		t.Errorf("merged without facts: %v", got)
	}
}

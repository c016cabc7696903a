package plots

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
)

// The maximum rate of a mode is a dashed line at its fastest round, and the median round is printed if it is much slower.
func TestMaximumRateOfAMode(t *testing.T) {
	for name, c := range map[string]struct {
		messages uint64 // of all rounds of the event row that does not keep its rate, but the last
		want     string
	}{
		"steady":   {240_000, ": event 250k messages/s."},
		"unsteady": {100_000, ": event 250k (100k in the median round) messages/s."},
	} {
		files := testresult.RateSweep(t)
		for i := range files[2].Rows {
			if r := &files[2].Rows[i]; r.Load.Growing {
				for j := range r.Rounds[:len(r.Rounds)-1] {
					r.Rounds[j].Messages = c.messages
				}
			}
		}
		svg := drawingNamed(t, "load_64", files...)
		if !strings.Contains(svg, ">Maximum rate, in the fastest round"+c.want+"<") {
			t.Errorf("%s: the drawing does not say %q", name, c.want)
		}
		if n := strings.Count(svg, "stroke-dasharray:4,3"); n != 2 {
			t.Errorf("%s: %d dashed lines, want one in the drawing and one in the legend", name, n)
		}
	}
}

package plots

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/result"
)

// Markers and bars of rows that were disturbed, or whose rounds are at two levels, are hollow.
func TestMarkersOfDoubtfulRowsAreHollow(t *testing.T) {
	const levels = "rounds at two levels: 0.065 usec (70 %) and 0.270 usec (30 %)"
	for _, warning := range []result.Warning{{ID: result.WarnPreempted, Text: "other work"}, {ID: result.WarnTwoLevels, Text: levels}} {
		for _, f := range []*result.File{latencies(t, []int{64, 512}, "data", "poll"), latencies(t, []int{64}, "data", "poll"), bandwidths(t, []int{64}, "data", "poll")} {
			before := drawings(t, f)
			f.Rows[0].Warnings = []result.Warning{warning}
			for name, svg := range drawings(t, f) {
				if strings.HasPrefix(name, "write_lat_percentiles_512") {
					continue
				}
				if holes, none := strings.Count(svg, "fill:#FFFFFF"), strings.Count(before[name], "fill:#FFFFFF"); holes < none+2 { // one in the legend
					t.Errorf("%s, %s: %d areas of paper, %d without the warning", warning.ID, name, holes, none)
				}
				meaning := doubtfulText
				if strings.Contains(name, "ratio") {
					meaning = unclearText
				}
				textAt(t, svg, meaning)
				if strings.Contains(before[name], ">"+meaning) {
					t.Errorf("%s explains hollow markers, and has none", name)
				}
				if said := strings.Contains(svg, levels); said != (warning.ID == result.WarnTwoLevels) && !strings.Contains(name, "percentiles") && !strings.Contains(name, "rounds") {
					t.Errorf("%s, %s: a tooltip tells the levels: %v", warning.ID, name, said)
				}
			}
		}
	}
}

// A ratio is as doubtful as the row of poll that it is to.
func TestRatioToADoubtfulRowIsHollow(t *testing.T) {
	f := testresult.Controlled(latencies(t, []int{64, 512}, "data", "poll", "event"), 1, 1)
	f.Rows[1].Warnings = []result.Warning{{ID: result.WarnTwoLevels, Text: "rounds at two levels"}}
	before := drawingNamed(t, "ratio", testresult.Controlled(latencies(t, []int{64, 512}, "data", "poll", "event"), 1, 1))
	svg := drawingNamed(t, "ratio", f)
	if holes := strings.Count(svg, "fill:#FFFFFF") - strings.Count(before, "fill:#FFFFFF"); holes != 3 { // data, event, legend
		t.Errorf("%d hollow markers", holes)
	}
}

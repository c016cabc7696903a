package plots

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/result"
)

const noiseFill = "fill:#D0D0D0"

// The control is the band around 1 in plots of ratios, and in no other plot.
func TestControlIsTheNoiseOfRatioPlots(t *testing.T) {
	sizes := []int{64, 512}
	modes := []*result.File{latencies(t, sizes, "data", "poll", "adaptive", "event"), bandwidths(t, sizes, "data", "poll", "adaptive", "event")}
	for _, f := range modes {
		plain := drawings(t, f)
		for name, svg := range drawings(t, testresult.Controlled(f, 1.1, 0.95)) {
			if !strings.Contains(name, "ratio") {
				if strings.Contains(svg, "control") || strings.Count(svg, "<path") != strings.Count(plain[name], "<path") {
					t.Errorf("%s draws the control", name)
				}
				continue
			}
			if band := strings.Count(svg, noiseFill); band != 2 { // and its sample in the legend
				t.Errorf("%s: %d areas", name, band)
			}
			points := tooltipsOf(t, svg, "poll (control)")
			if len(points) != 4 || // in both panels
				!strings.Contains(points[0].Title, "poll (control), 64 bytes: ratio to poll 1.1") {
				t.Errorf("%s: points of the control at %v", name, points)
			}
			textAt(t, svg, "95 % interval of poll (control), the noise")
			if strings.Contains(plain[name], noiseFill) {
				t.Errorf("%s: there is a band without a control", name)
			}
		}
	}
}

func TestNoiseOfOneSizeIsAsWideAsThePlot(t *testing.T) {
	svg := drawingNamed(t, "ratio", testresult.Controlled(latencies(t, []int{64}, "data", "poll", "event"), 1))
	if strings.Count(svg, noiseFill) != 2 {
		t.Error("there is no band")
	}
}

package plots

import (
	"math"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/result"
)

func TestRatioPlotSaysWhichSideIsFaster(t *testing.T) {
	lat := drawingNamed(t, "ratio", latencies(t, []int{2, 64}, "data", "poll", "event"))
	bw := drawingNamed(t, "ratio", bandwidths(t, []int{2, 64}, "data", "poll", "event"))
	for name, svg := range map[string]string{"latency": lat, "bandwidth": bw} {
		faster, one, slower := textAt(t, svg, "faster than poll").Y, textAt(t, svg, "1: as poll").Y, textAt(t, svg, "slower than poll").Y
		if name == "latency" {
			faster, slower = slower, faster
		}
		if !(faster < one && one < slower) {
			t.Errorf("%s: faster at %g, the line at %g, slower at %g", name, faster, one, slower)
		}
	}
	if !strings.Contains(lat, "median latency, ratio to poll") || !strings.Contains(bw, "average bandwidth, ratio to poll") {
		t.Error("the axes do not say of what the ratios are")
	}
}

// The points are at the ratios that tables print, on a logarithmic axis whose ticks tell
// where 1 and 10 are.
func TestRatioPlotIsOfTheRatiosOfTheTables(t *testing.T) {
	f := latencies(t, []int{2, 64}, "data", "poll", "event")
	svg := drawingNamed(t, "ratio", f)
	one, ten := textAt(t, svg, "1").Y, textAt(t, svg, "10").Y
	ratios := reports.Groups([]*result.File{f})[0].Ratios()
	for i := range f.Rows {
		r, compared := ratios[&f.Rows[i]]
		if !compared {
			continue
		}
		e := reports.Entry{File: f, Row: &f.Rows[i]}
		label := one - (one-ten)*math.Log10(r.Median) // ticks' labels are a little below the ticks
		points := spotsOf(t, svg, e.Mode)
		if len(points) != 2 {
			t.Fatalf("%d points of %s", len(points), e.Mode)
		}
		point := points[map[int]int{2: 0, 64: 1}[e.Size]]
		if math.Abs(point.Y-label) > 6 {
			t.Errorf("%s, %d: a ratio of %g is at %g, want about %g", e.Mode, e.Size, r.Median, point.Y, label)
		}
		if !strings.Contains(point.Title, "ratio to poll "+r.Text()) {
			t.Errorf("the spot says %q", point.Title)
		}
	}
}

func TestEventsThatHardlySleptHaveNoPointInRatioPlots(t *testing.T) {
	f := bandwidths(t, []int{2, 64, 512}, "poll", "event")
	f.Rows[1].Peer.SleepsPerMessage = 0.0003
	drawing := drawingNamed(t, "ratio", f)
	if points := spotsOf(t, drawing, "event"); len(points) != 2 || !strings.HasPrefix(points[0].Title, "event, 64 bytes") {
		t.Errorf("points %v", points)
	}
	if !strings.Contains(drawing, "event slept 0.00030 times per message") {
		t.Error("the plot does not say that event hardly slept")
	}
}

func TestRowsWithoutRatioHaveNoPointInRatioPlots(t *testing.T) {
	f := bandwidths(t, []int{2, 64, 512}, "data", "poll")
	f.Rows[0].NoRatio = "no mode waits"
	f.Rows[2].Rounds = f.Rows[2].Rounds[:5]
	svg := drawingNamed(t, "ratio", f)
	if points := spotsOf(t, svg, "data"); len(points) != 1 || !strings.HasPrefix(points[0].Title, "data, 512 bytes") {
		t.Errorf("points %v", points)
	}
	f.Rows[4].NoRatio = "no mode waits"
	for name := range drawings(t, f) {
		if strings.Contains(name, "ratio") {
			t.Errorf("a plot of no ratios: %s", name)
		}
	}
}

func TestOneSizeOrOneModeInRatioPlots(t *testing.T) {
	svg := drawingNamed(t, "ratio", latencies(t, []int{64}, "data", "poll"))
	if points := spotsOf(t, svg, "data"); len(points) != 1 {
		t.Errorf("points %v", points)
	}
	for name := range drawings(t, latencies(t, []int{2, 64}, "data")) {
		if strings.Contains(name, "ratio") {
			t.Errorf("a plot of no ratios: %s", name)
		}
	}
}

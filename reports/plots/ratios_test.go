package plots

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

func TestRatioPlotSaysWhichSideIsFaster(t *testing.T) {
	textAt(t, drawingNamed(t, "ratio", latencies(t, []int{2, 64}, "data", "poll", "event")), "median latency, ratio to poll; below 1 is faster")
	textAt(t, drawingNamed(t, "ratio", bandwidths(t, []int{2, 64}, "data", "poll", "event")), "average bandwidth, ratio to poll; above 1 is faster")
}

// The points are at the ratios that tables print: on a linear axis, and those of event on one of their own.
func TestRatioPlotIsOfTheRatiosOfTheTables(t *testing.T) {
	f := latencies(t, []int{2, 64}, "data", "poll", "adaptive", "event")
	svg := drawingNamed(t, "ratio", f)
	ratios := rows.Groups([]*result.File{f})[0].Ratios()
	place := map[string]float64{}
	for i := range f.Rows {
		r, compared := ratios[&f.Rows[i]]
		if !compared {
			continue
		}
		e := rows.Entry{File: f, Row: &f.Rows[i]}
		points := tooltipsOf(t, svg, string(e.Mode))
		if len(points) != 2 {
			t.Fatalf("%d points of %s", len(points), e.Mode)
		}
		point := points[map[int]int{2: 0, 64: 1}[e.Size]]
		if !strings.Contains(point.Title, "ratio to poll "+r.Text()) {
			t.Errorf("the tooltip says %q", point.Title)
		}
		place[string(e.Mode)+" "+strconv.Itoa(e.Size)] = point.Y
	}
	at := func(mode string, size int) (ratio, y float64) {
		for i := range f.Rows {
			if r := &f.Rows[i]; string(r.Mode) == mode && r.Size == size {
				ratio = ratios[r].Value
			}
		}
		return ratio, place[mode+" "+strconv.Itoa(size)]
	}
	data, dataY := at("data", 2)
	adaptive, adaptiveY := at("adaptive", 2)
	slope := (dataY - adaptiveY) / (data - adaptive)
	for _, c := range []struct {
		mode string
		size int
	}{{"data", 64}, {"adaptive", 64}} {
		if ratio, y := at(c.mode, c.size); math.Abs(dataY+slope*(ratio-data)-y) > 0.2 {
			t.Errorf("%s, %d: the axis is not linear", c.mode, c.size)
		}
	}
	if one := textAt(t, svg, "1").Y; math.Abs(dataY+slope*(1-data)-one) > 6 { // labels of ticks are a little below the ticks
		t.Errorf("1 is labeled at %g", one)
	}
	if _, event := at("event", 2); event < dataY+20 {
		t.Errorf("event is at %g, data at %g", event, dataY)
	}
}

func TestEventsThatHardlySleptHaveNoPointInRatioPlots(t *testing.T) {
	f := bandwidths(t, []int{2, 64, 512}, "poll", "event")
	f.Rows[1].Peer.SleepsPerMessage = 0.0003
	drawing := drawingNamed(t, "ratio", f)
	if points := tooltipsOf(t, drawing, "event"); len(points) != 2 || !strings.HasPrefix(points[0].Title, "event, 64 bytes") {
		t.Errorf("points %v", points)
	}
	if !strings.Contains(drawing, "event slept 0.00030 times per message") {
		t.Error("the plot does not say that event hardly slept")
	}
}

func TestRowsWithoutRatioHaveNoPointInRatioPlots(t *testing.T) {
	f := bandwidths(t, []int{2, 64, 512, 4096}, "data", "poll")
	f.Rows[0].NoRatio = "no mode waits"
	f.Rows[2].Rounds = f.Rows[2].Rounds[:4]
	svg := drawingNamed(t, "ratio", f)
	if points := tooltipsOf(t, svg, "data"); len(points) != 2 || !strings.HasPrefix(points[0].Title, "data, 512 bytes") {
		t.Errorf("points %v", points)
	}
	f.Rows[4].NoRatio, f.Rows[6].NoRatio = "no mode waits", "no mode waits"
	for name := range drawings(t, f) {
		if strings.Contains(name, "ratio") {
			t.Errorf("a plot of no ratios: %s", name)
		}
	}
}

// A plot of a single mode or a single ratio shows nothing that a table does not.
func TestOneRatioOrOneModeHasNoPlot(t *testing.T) {
	for _, f := range []*result.File{latencies(t, []int{64}, "data", "poll"), latencies(t, []int{2, 64}, "data")} {
		for name := range drawings(t, f) {
			if strings.Contains(name, "ratio") {
				t.Errorf("there is %s", name)
			}
		}
	}
	if points := tooltipsOf(t, drawingNamed(t, "ratio", latencies(t, []int{64}, "data", "poll", "event")), "data"); len(points) != 1 {
		t.Errorf("points %v", points)
	}
}

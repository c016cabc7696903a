package plots

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/result"
	"gonum.org/v1/plot/plotter"
)

// drifting is a run whose rounds become slower, one second after the other.
func drifting(t *testing.T) *result.File {
	t.Helper()
	f := latencies(t, []int{64}, "data", "poll")
	for i := range f.Rows {
		for j := range f.Rows[i].Rounds {
			r := &f.Rows[i].Rounds[j]
			r.Ended = f.Started.Add(time.Duration(j) * time.Second)
			r.P50Ns = 100 * (1 + float64(j)/100)
		}
	}
	return f
}

func TestRoundsShowDrift(t *testing.T) {
	f := drifting(t)
	g := groupsOf([]*result.File{f}, nil)[0]
	lines := seriesOf(g)
	clock := clockOf(lines)
	c := g.cloudOf(lines[0], []int{64}, clock)
	if len(c.points) != 20 || clock.end != 19 || c.points[19].X != 19 || c.points[0].X != 0 {
		t.Fatalf("points %v of %g s", c.points, clock.end)
	}
	trend := c.trend()
	if first, last := trend[0], trend[len(trend)-1]; len(trend) < 5 || last.Y/first.Y < 1.1 {
		t.Errorf("the line goes from %v to %v", first, last)
	}
	for i, p := range c.points {
		if want := (1 + float64(i)/100) / 1.095; math.Abs(p.Y-want) > 1e-9 {
			t.Errorf("round %d is at %g, want %g", i, p.Y, want)
		}
	}
	svg := drawingNamed(t, "rounds", f)
	for _, text := range []string{"time since the first round [s]", "median latency of each round / median of its row", "line: median of consecutive rounds"} {
		textAt(t, svg, text)
	}
}

// Files of earlier releases do not have the times of rounds.
func TestRoundsWithoutTimesAreNumbered(t *testing.T) {
	textAt(t, drawingNamed(t, "rounds", latencies(t, []int{64}, "data", "poll")), "number of the round in its row")
}

func TestRoundsOfDisturbedRowsAreHollow(t *testing.T) {
	f := drifting(t)
	f.Rows[0].Warnings = []result.Warning{{ID: result.WarnPreempted, Text: "other work"}}
	textAt(t, drawingNamed(t, "rounds", f), doubtfulText)
	g := groupsOf([]*result.File{f}, nil)[0]
	if lines := seriesOf(g); len(g.cloudOf(lines[0], []int{64}, clockOf(lines)).hollow) != 20 || len(g.cloudOf(lines[1], []int{64}, clockOf(lines)).hollow) != 0 {
		t.Error("not the rounds of the disturbed row are hollow")
	}
}

// One round far away does not hide the others, and is at the end of the axis.
func TestOutliersDoNotStretchTheAxisOfRounds(t *testing.T) {
	var values []float64
	for i := range 100 {
		values = append(values, 1+float64(i%10)/100)
	}
	p := chart.Blank()
	fitRounds(&p.Plot.Y, append(values, 500))
	if p.Plot.Y.Max > 2 || p.Plot.Y.Min > 1 || p.Plot.Y.Min < 0.5 {
		t.Errorf("the axis is from %g to %g", p.Plot.Y.Min, p.Plot.Y.Max)
	}
}

func TestRunsOfOneRoundHaveNoPlotOfRounds(t *testing.T) {
	f := latencies(t, []int{64}, "data", "poll")
	for i := range f.Rows {
		f.Rows[i].Rounds = f.Rows[i].Rounds[:1]
	}
	for name := range drawings(t, f) {
		if strings.Contains(name, "rounds") {
			t.Errorf("there is %s", name)
		}
	}
	if m := median(nil); m != 0 {
		t.Errorf("the median of nothing is %g", m)
	}
	if trend := (&cloud{points: plotter.XYs{{X: 1, Y: 1}}}).trend(); len(trend) != 0 {
		t.Errorf("a line of one round: %v", trend)
	}
}

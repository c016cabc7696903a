package plots

import (
	"math"
	"slices"

	"github.com/ibperf/ibperf/reports/chart"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// busySizes is the maximum number of message sizes in the plot. More would hide each other.
const busySizes = 4

// busySketch draws how busy a core is against the median latency, and joins the modes of one message
// size. Each run has a panel. It returns nil if these were not measured.
func busySketch(g *group, lines []*series) *chart.Sketch {
	s := newSketch(g, lines, kindBusy, "core busy against median latency", "busy")
	drawn := 0
	for run := range g.Runs {
		some := slices.DeleteFunc(slices.Clone(lines), func(l *series) bool { return l.run != run })
		p := s.NextPanel(drawn)
		if len(some) == 0 || !g.drawBusy(s, p, some) {
			continue
		}
		drawn++
		p.XLabel = "median latency [usec]"
		_, who := some[0].entries[0].WaitingBusy()
		p.YLabel = "core busy " + who + " [%]; lower left is better"
		if g.byMode {
			s.Columns, p.Title = columns, g.label(run)
		}
	}
	if drawn == 0 {
		return nil
	}
	g.finishPanels(s, drawn)
	explainHollow(s, lines, busyPercent)
	s.Explain("the same message size", ruleSample(nil))
	return s
}

// drawBusy draws the series of a run into a panel, and reports whether there was anything to draw.
func (g *group) drawBusy(s *chart.Sketch, p *chart.Panel, lines []*series) bool {
	names := &labels{}
	var marks []*trace
	var points plotter.XYs
	p.Plot.Add(chart.Grid())
	for _, size := range slices.Backward(apart(lines, busySizes)) { // the greatest has least room for its name
		path, some := busyMarks(p, g, ofSize(lines, size))
		if len(path) == 0 {
			continue
		}
		line := thinLine(path)
		p.Plot.Add(line)
		marks, points = append(marks, some...), append(points, path...)
		names.traces = append(append(names.traces, line), some...)
		names.texts = append(names.texts, label{at: path[len(path)-1], elsewhere: path[:len(path)-1], text: bytesText(size), color: chart.Ink,
			sides: []side{right, below, left, above}})
	}
	if len(marks) == 0 {
		return false
	}
	for _, t := range marks {
		p.Plot.Add(t)
	}
	p.Plot.Add(names)
	g.explainMarks(s, lines)
	s.Points += len(points)
	chart.FitAxis(&p.Plot.X, xs(points), true)
	busyAxis(&p.Plot.Y, ys(points))
	return true
}

// busyMarks returns the points of series in the order of modes, and their markers.
func busyMarks(p *chart.Panel, g *group, lines []*series) (path plotter.XYs, marks []*trace) {
	for _, line := range lines {
		e := line.entries[0]
		median, timed := medianUsec(e)
		busy, measured := busyPercent(e)
		if !timed || !measured {
			continue
		}
		t := newTrace(&series{modeStyle: styleOf(e.Row)})
		t.markers = plotter.XYs{{X: median.value, Y: busy.value}}
		if isDoubtful(e) {
			t.hollow = t.markers
		}
		marks, path = append(marks, t), append(path, t.markers...)
		p.Tooltips = append(p.Tooltips, chart.Tooltip{X: median.value, Y: busy.value, Text: g.busyTooltip(line, e)})
	}
	return path, marks
}

func xs(points plotter.XYs) (all []float64) {
	for _, p := range points {
		all = append(all, p.X)
	}
	return all
}

func ys(points plotter.XYs) (all []float64) {
	for _, p := range points {
		all = append(all, p.Y)
	}
	return all
}

// apart picks n message sizes with distinct latencies: the smallest, the largest and some between.
// Small messages have nearly the same latency and would be drawn on top of each other.
func apart(lines []*series, n int) []int {
	sizes := sizesOf(lines)
	if len(sizes) <= n {
		return sizes
	}
	fastest := make([]float64, len(sizes)) // logarithm of the smallest median of each size
	for i, size := range sizes {
		fastest[i] = math.Inf(1)
		for _, s := range ofSize(lines, size) {
			if v, ok := medianUsec(s.entries[0]); ok {
				fastest[i] = min(fastest[i], math.Log(v.value))
			}
		}
	}
	last := len(sizes) - 1
	picked := []int{sizes[0], sizes[last]}
	for i := 1; i < n-1; i++ {
		want := fastest[0] + (fastest[last]-fastest[0])*float64(i)/float64(n-1)
		nearest := 1
		for j := range sizes[1:last] {
			if math.Abs(fastest[j+1]-want) < math.Abs(fastest[nearest]-want) {
				nearest = j + 1
			}
		}
		picked = append(picked, sizes[nearest])
	}
	slices.Sort(picked)
	return slices.Compact(picked)
}

// explainMarks adds the markers of all modes to the legend.
func (g *group) explainMarks(s *chart.Sketch, lines []*series) {
	for _, line := range lines {
		e := line.entries[0]
		t := newTrace(&series{modeStyle: styleOf(e.Row)})
		t.line.Width, t.markers = 0, plotter.XYs{{}}
		name := line.name
		if g.byMode {
			name = e.ModeName()
		}
		s.NameLine(name, e.ModeName(), t)
	}
}

// thinLine joins points of different modes.
func thinLine(path plotter.XYs) *trace {
	return &trace{points: path, line: draw.LineStyle{Color: chart.Quiet, Width: vg.Points(0.8)}}
}

// busyAxis fits the axis from zero to one core, or to more if several threads measured.
func busyAxis(a *plot.Axis, values []float64) {
	a.Min, a.Max = 0, max(105, slices.Max(values)*1.05)
	a.Tick.Marker = chart.EvenTicks{}
}

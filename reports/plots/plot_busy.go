package plots

import (
	"cmp"
	"math"
	"slices"

	"github.com/ibperf/ibperf/reports/plots/sketch"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// busySizes is of how many message sizes the trade-off is drawn: more hide each other.
const busySizes = 4

// busySketch draws how busy a core is against the median latency: the modes of one message
// size are joined. There is none if that was not measured.
func busySketch(g *group, lines []*series) *sketch.Sketch {
	s := newSketch(g, lines, "core busy against median latency", "busy")
	s.Plot.Add(sketch.Grid())
	names := &labels{}
	var marks []*trace
	for _, size := range slices.Backward(apart(lines, busySizes)) { // the greatest has least room for its name
		for run := range g.Runs {
			path, some := busyMarks(s, g, ofSize(lines, size), run)
			if len(path) == 0 {
				continue
			}
			s.Plot.Add(thinLine(path))
			marks = append(marks, some...)
			names.markers = append(names.markers, path...)
			names.texts = append(names.texts, label{at: path[len(path)-1], text: bytesText(size), color: sketch.Ink,
				try: []direction{right, below, above, left}})
		}
	}
	if len(marks) == 0 {
		return nil
	}
	for _, t := range marks {
		s.Plot.Add(t)
	}
	s.Plot.Add(names)
	explainMarks(s, lines)
	s.Explain("the same message size", ruleSample(nil))
	sketch.FitAxis(&s.Plot.X, xs(names.markers), true)
	busyAxis(&s.Plot.Y, ys(names.markers))
	s.XLabel = "median latency [usec]"
	_, who := lines[0].entries[0].WaitingBusy()
	s.YLabel = "core busy " + who + " [%]; lower left is better"
	return s
}

// busyMarks are the points of a run's series by latency, and their markers.
func busyMarks(s *sketch.Sketch, g *group, lines []*series, run int) (path plotter.XYs, marks []*trace) {
	for _, line := range lines {
		e := line.entries[0]
		median, timed := medianUsec(e)
		busy, measured := busyPercent(e)
		if line.run != run || !timed || !measured {
			continue
		}
		t := newTrace(line)
		t.markers = plotter.XYs{{X: median.value, Y: busy.value}}
		marks, path = append(marks, t), append(path, t.markers...)
		s.Spots = append(s.Spots, sketch.Spot{X: median.value, Y: busy.value, Text: g.busySpot(line, e)})
	}
	slices.SortFunc(path, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
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

// apart picks n message sizes whose latencies lie apart: the least size, the greatest and
// some between. Small messages take the same time, and would be drawn upon each other.
func apart(lines []*series, n int) []int {
	sizes := sizesOf(lines)
	if len(sizes) <= n {
		return sizes
	}
	least := make([]float64, len(sizes)) // logarithm of the least median of each size
	for i, size := range sizes {
		least[i] = math.Inf(1)
		for _, s := range ofSize(lines, size) {
			if v, ok := medianUsec(s.entries[0]); ok {
				least[i] = min(least[i], math.Log(v.value))
			}
		}
	}
	last := len(sizes) - 1
	picked := []int{sizes[0], sizes[last]}
	for i := 1; i < n-1; i++ {
		want := least[0] + (least[last]-least[0])*float64(i)/float64(n-1)
		nearest := 1
		for j := range sizes[1:last] {
			if math.Abs(least[j+1]-want) < math.Abs(least[nearest]-want) {
				nearest = j + 1
			}
		}
		picked = append(picked, sizes[nearest])
	}
	slices.Sort(picked)
	return slices.Compact(picked)
}

// explainMarks puts the markers of all series into the legend.
func explainMarks(s *sketch.Sketch, lines []*series) {
	for _, line := range lines {
		t := newTrace(line)
		t.line.Width, t.markers = 0, plotter.XYs{{}}
		s.Explain(line.name, t)
	}
}

// thinLine joins points of different modes.
func thinLine(path plotter.XYs) plot.Plotter {
	return &trace{points: path, line: draw.LineStyle{Color: sketch.Quiet, Width: vg.Points(0.8)}}
}

// busyAxis is from nothing to a whole core, or to more if several threads measured.
func busyAxis(a *plot.Axis, values []float64) {
	a.Min, a.Max = 0, max(105, slices.Max(values)*1.05)
	a.Tick.Marker = sketch.EvenTicks{}
}

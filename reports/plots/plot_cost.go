package plots

import (
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// labelledSizes is how many points of a series carry their message size.
const labelledSizes = 4

// costSketch draws how busy the core is against the median latency: a point for each
// mode and size. There is none if that was not measured.
func costSketch(g *reports.Group, lines []*series) *sketch.Sketch {
	s := newSketch(g, anySize, "core busy against median", "busy")
	s.Plot.Add(sketch.Grid())
	var xs, ys []float64
	names := &sizeNames{}
	for _, line := range lines {
		var points plotter.XYs
		var sizes []int
		for _, r := range line.rows {
			if r.Latency.P50Ns > 0 && r.Local.Busy > 0 {
				points = append(points, plotter.XY{X: units.Usec(r.Latency.P50Ns), Y: 100 * r.Local.Busy})
				sizes = append(sizes, r.Size)
				xs, ys = append(xs, points[len(points)-1].X), append(ys, points[len(points)-1].Y)
			}
		}
		if len(points) == 0 {
			continue
		}
		t := newTrace(line, points)
		t.line.Width, t.line.Dashes = sketch.LineWidth/2, line.dash
		s.Plot.Add(t)
		names.add(line, points, sizes)
		s.Explain(line.name, t)
	}
	if len(xs) == 0 {
		return nil
	}
	s.Plot.Add(names)
	sketch.FitAxis(&s.Plot.X, xs, false)
	s.Plot.Y.Min, s.Plot.Y.Max = 0, max(105, slices.Max(ys)) // more than one thread may measure
	s.Plot.Y.Tick.Marker = sketch.EvenTicks{}
	s.XLabel = "median latency [usec]"
	s.YLabel = "core busy, this side [%]"
	return s
}

// sizeNames writes message sizes beside points, but none over another.
type sizeNames struct {
	names []sizeName
}

type sizeName struct {
	plotter.XY
	text  string
	below bool // right of and below the point, not left of and above it
}

// add names the least and greatest size of a series and some between, and of a
// single point the series as well.
func (n *sizeNames) add(line *series, points plotter.XYs, sizes []int) {
	first := line.rows[0]
	var index []int
	for i := range sizes {
		index = append(index, i)
	}
	for _, i := range slices.Backward(spread(index, labelledSizes)) {
		text := units.Size(sizes[i])
		if len(points) == 1 {
			text = first.Name() + ", " + text + " bytes"
		}
		n.names = append(n.names, sizeName{points[i], text, first.Mode != "data"})
	}
}

// Plot implements [plot.Plotter].
func (n *sizeNames) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var taken []vg.Rectangle
	for _, name := range n.names {
		style := sketch.TextStyle(9, false, sketch.Quiet, draw.TextStyle{XAlign: draw.XRight, YAlign: draw.YBottom})
		at := vg.Point{X: x(name.X) - 4, Y: y(name.Y) + 3}
		if name.below || at.X-style.Width(name.text) < c.Min.X {
			style.XAlign, style.YAlign = draw.XLeft, draw.YTop
			at = vg.Point{X: x(name.X) + 4, Y: y(name.Y) - 3}
		}
		box := style.Rectangle(name.text).Add(at)
		if slices.ContainsFunc(taken, func(r vg.Rectangle) bool { return overlap(r, box) }) {
			continue
		}
		taken = append(taken, box)
		c.FillText(style, at, name.text)
	}
}

// overlap tells whether two texts cannot be told apart: names side by side need a blank.
func overlap(a, b vg.Rectangle) bool {
	const blank = vg.Length(4)
	return a.Min.X < b.Max.X+blank && b.Min.X < a.Max.X+blank && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

package plots

import (
	"image/color"

	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A bar stands on the x axis. Its width and place are in units of x.
type bar struct {
	at, width float64
	height    estimate
	color     color.Color
	label     string
}

// top is where its interval ends, if it has one, or the bar.
func (b bar) top() float64 { return max(b.height.value, b.height.high) }

// bars draws all bars of a chart with their numbers over them.
type bars []bar

// Plot implements [plot.Plotter].
func (bs bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := sketch.TextStyle(10, false, sketch.Ink, draw.TextStyle{XAlign: draw.XCenter, YAlign: draw.YBottom})
	for _, b := range bs {
		left, right := x(b.at-b.width/2), x(b.at+b.width/2)
		bottom, top := y(p.Y.Min), y(b.height.value)
		c.FillPolygon(b.color, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
		if b.height.known() {
			strokeSpan(c, draw.LineStyle{Color: sketch.Ink}, x(b.at), top, y(b.height.low), y(b.height.high))
		}
		c.FillText(style, vg.Point{X: (left + right) / 2, Y: y(b.top()) + vg.Points(2)}, b.label)
	}
}

// barChart adds the bars and axes that suit them: y from zero, names under x.
func barChart(s *sketch.Sketch, chart bars, lines []*series) {
	var ticks plot.ConstantTicks
	for i, line := range lines {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: reports.Shorten(line.who, max(96/len(lines), 12))})
	}
	most := 0.0
	for _, b := range chart {
		most = max(most, b.top())
	}
	s.Plot.Y.Min, s.Plot.Y.Max = 0, max(most*1.1, 1e-9)
	s.Plot.Y.Tick.Marker = sketch.EvenTicks{}
	s.Plot.X.Min, s.Plot.X.Max = -0.6, float64(len(lines))-0.4
	s.Plot.X.Tick.Marker = ticks
	s.Plot.X.Tick.Color = sketch.Paper // only their room is wanted
	g := sketch.Grid()
	g.Vertical.Width = 0
	s.Plot.Add(g, chart)
}

// A patch is the legend's sample of a bar.
type patch struct{ color color.Color }

// Thumbnail implements [plot.Thumbnailer].
func (p patch) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(p.color, []vg.Point{{X: c.Min.X, Y: c.Min.Y + 2}, {X: c.Max.X, Y: c.Min.Y + 2},
		{X: c.Max.X, Y: c.Max.Y - 2}, {X: c.Min.X, Y: c.Max.Y - 2}})
}

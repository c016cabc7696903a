package plots

import (
	"image/color"

	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/phrase"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A bar is a bar on the x axis. Its position and width are in units of x.
type bar struct {
	at, width float64
	height    estimate
	color     color.Color
	label     string
}

// top returns the upper end of the bar or of its interval.
func (b bar) top() float64 { return max(b.height.value, b.height.high) }

// bars draws all bars of a chart, and above them the labels that are no wider.
type bars []bar

// Plot implements [plot.Plotter].
func (bs bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := chart.TextStyle(10, false, chart.Ink, draw.TextStyle{XAlign: draw.XCenter, YAlign: draw.YBottom})
	const frame = vg.Length(3) // of hollow bars
	for _, b := range bs {
		left, right := x(b.at-b.width/2), x(b.at+b.width/2)
		bottom, top := y(p.Y.Min), y(b.height.value)
		fillBox(c, b.color, left, bottom, right, top)
		if b.height.doubtful && top-bottom > 2*frame {
			fillBox(c, chart.Paper, left+frame, bottom+frame, right-frame, top-frame)
		}
		if b.height.hasInterval() {
			strokeSpan(c, draw.LineStyle{Color: chart.Ink}, x(b.at), top, y(b.height.low), y(b.height.high))
		}
		if room := right - left; style.Width(b.label) <= room {
			c.FillText(style, vg.Point{X: (left + right) / 2, Y: y(b.top()) + vg.Points(2)}, b.label)
		}
	}
}

// barColor returns the color of a bar in the legend.
func (g *group) barColor(s *series) color.Color {
	if g.byMode {
		return s.neutral()
	}
	return s.color()
}

// fillBox fills a rectangle.
func fillBox(c draw.Canvas, color color.Color, left, bottom, right, top vg.Length) {
	c.FillPolygon(color, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
}

// barChart adds bars and their axes: y from zero, names below x.
func barChart(s *chart.Panel, drawn bars, lines []*series) {
	var ticks plot.ConstantTicks
	for i, line := range lines {
		name := line.shortName
		if line.small {
			name = line.name // the panel has the mode
		}
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: phrase.Shorten(name, max(96/len(lines), 12))})
	}
	highest := 0.0
	for _, b := range drawn {
		highest = max(highest, b.top())
	}
	s.Plot.Y.Min, s.Plot.Y.Max = 0, max(highest*1.1, 1e-9)
	s.Plot.Y.Tick.Marker = chart.EvenTicks{}
	s.Plot.X.Min, s.Plot.X.Max = -0.6, float64(len(lines))-0.4
	s.Plot.X.Tick.Marker = ticks
	s.Plot.X.Tick.Color = chart.Paper // only their room is wanted
	g := chart.Grid()
	g.Vertical.Width = 0
	s.Plot.Add(g, drawn)
}

// A patch is the legend's sample of a bar.
type patch struct{ color color.Color }

// Thumbnail implements [plot.Thumbnailer].
func (p patch) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(p.color, []vg.Point{{X: c.Min.X, Y: c.Min.Y + 2}, {X: c.Max.X, Y: c.Min.Y + 2},
		{X: c.Max.X, Y: c.Max.Y - 2}, {X: c.Min.X, Y: c.Max.Y - 2}})
}

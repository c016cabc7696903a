package plots

import (
	"image/color"

	"github.com/ibperf/ibperf/reports/plots/sketch"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A trace is a line with markers at some of its points, in the plot and as the
// sample in the legend.
type trace struct {
	points  plotter.XYs
	markers plotter.XYs
	line    draw.LineStyle
	glyph   draw.GlyphStyle
}

func newTrace(s *series, points plotter.XYs) *trace {
	return &trace{
		points:  points,
		markers: points,
		line:    draw.LineStyle{Color: s.color, Width: sketch.LineWidth},
		glyph:   draw.GlyphStyle{Color: s.color, Radius: vg.Points(3.5), Shape: s.shape},
	}
}

// Plot implements [plot.Plotter].
func (t *trace) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	path := make([]vg.Point, len(t.points))
	for i, pt := range t.points {
		path[i] = vg.Point{X: x(pt.X), Y: y(pt.Y)}
	}
	c.StrokeLines(t.line, c.ClipLinesXY(path)...)
	for _, pt := range t.markers {
		c.DrawGlyph(t.glyph, vg.Point{X: x(pt.X), Y: y(pt.Y)})
	}
}

// Thumbnail implements [plot.Thumbnailer].
func (t *trace) Thumbnail(c *draw.Canvas) {
	mid := c.Center()
	c.StrokeLine2(t.line, c.Min.X, mid.Y, c.Max.X, mid.Y)
	if len(t.markers) > 0 {
		c.DrawGlyphNoClip(t.glyph, mid)
	}
}

// A bar stands on the x axis. Its width and place are in units of x.
type bar struct {
	at, width, height float64
	color             color.Color
	label             string
}

// bars draws all bars of a chart with their numbers over them.
type bars []bar

// Plot implements [plot.Plotter].
func (bs bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := sketch.TextStyle(10, false, sketch.Ink, draw.TextStyle{XAlign: draw.XCenter, YAlign: draw.YBottom})
	for _, b := range bs {
		left, right := x(b.at-b.width/2), x(b.at+b.width/2)
		bottom, top := y(p.Y.Min), y(b.height)
		c.FillPolygon(b.color, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
		c.FillText(style, vg.Point{X: (left + right) / 2, Y: top + vg.Points(2)}, b.label)
	}
}

// ruleSample is the legend's sample of a kind of line, whatever its colour.
func ruleSample(dash []vg.Length) *trace {
	return &trace{line: draw.LineStyle{Color: sketch.Quiet, Width: sketch.LineWidth * 0.7, Dashes: dash}}
}

// A patch is the legend's sample of a bar.
type patch struct{ color color.Color }

// Thumbnail implements [plot.Thumbnailer].
func (p patch) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(p.color, []vg.Point{{X: c.Min.X, Y: c.Min.Y + 2}, {X: c.Max.X, Y: c.Min.Y + 2},
		{X: c.Max.X, Y: c.Max.Y - 2}, {X: c.Min.X, Y: c.Max.Y - 2}})
}

// lighter mixes a colour with white.
func lighter(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	mix := func(v uint32) uint8 { return uint8((v>>8)/2 + 127) }
	return color.NRGBA{R: mix(r), G: mix(g), B: mix(b), A: 0xFF}
}

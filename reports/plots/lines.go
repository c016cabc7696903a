package plots

import (
	"slices"

	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A trace is a line with markers at some of its points and intervals around some, in the
// plot and as the sample in the legend.
type trace struct {
	points  plotter.XYs
	markers plotter.XYs
	spans   []span
	line    draw.LineStyle
	glyph   draw.GlyphStyle
}

// A span is the interval of a value at x.
type span struct {
	x float64
	estimate
}

func newTrace(s *series) *trace {
	return &trace{
		line:  draw.LineStyle{Color: s.color(), Width: sketch.LineWidth},
		glyph: draw.GlyphStyle{Color: s.color(), Radius: vg.Points(3.5), Shape: s.shape},
	}
}

// traceOf draws a measure of a series: a point for each row that has it, and the text that
// is shown of the row under the pointer.
func traceOf(sk *sketch.Sketch, s *series, x func(reports.Entry) float64, y measure, text func(*series, reports.Entry) string) *trace {
	t := newTrace(s)
	for _, e := range s.entries {
		v, ok := y(e)
		at := x(e)
		if !ok || at <= 0 {
			continue
		}
		t.points = append(t.points, plotter.XY{X: at, Y: v.value})
		if v.known() {
			t.spans = append(t.spans, span{at, v})
		}
		sk.Spots = append(sk.Spots, sketch.Spot{X: at, Y: v.value, Text: text(s, e)})
	}
	t.markers = t.points
	return t
}

// drawLines draws a measure of all series, explains them, and returns all that the axis has to
// hold.
func drawLines(sk *sketch.Sketch, all []*series, x func(reports.Entry) float64, y measure, text func(*series, reports.Entry) string) []float64 {
	var values []float64
	for _, s := range all {
		t := traceOf(sk, s, x, y, text)
		if len(t.points) == 0 {
			continue
		}
		t.line.Dashes = s.dash
		sk.Plot.Add(t)
		sk.Explain(s.name, t)
		values = append(values, t.values()...)
	}
	return values
}

// values are all that an axis has to hold.
func (t *trace) values() []float64 {
	all := ys(t.points)
	for _, s := range t.spans {
		all = append(all, s.low, s.high)
	}
	return all
}

// Plot implements [plot.Plotter].
func (t *trace) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	path := make([]vg.Point, len(t.points))
	for i, pt := range t.points {
		path[i] = vg.Point{X: x(pt.X), Y: y(pt.Y)}
	}
	c.StrokeLines(t.line, c.ClipLinesXY(path)...)
	for _, s := range t.spans {
		strokeSpan(c, t.line, x(s.x), y(s.value), y(s.low), y(s.high))
	}
	for _, pt := range t.markers {
		c.DrawGlyph(t.glyph, vg.Point{X: x(pt.X), Y: y(pt.Y)})
	}
}

// strokeSpan draws an interval: a thin line from end to end, which have a stroke each. A
// value outside of it is joined to it.
func strokeSpan(c draw.Canvas, style draw.LineStyle, x, value, low, high vg.Length) {
	const half = vg.Length(3)
	style.Width, style.Dashes = 1, nil
	c.StrokeLine2(style, x, min(value, low), x, max(value, high))
	c.StrokeLine2(style, x-half, low, x+half, low)
	c.StrokeLine2(style, x-half, high, x+half, high)
}

// Thumbnail implements [plot.Thumbnailer].
func (t *trace) Thumbnail(c *draw.Canvas) {
	mid := c.Center()
	c.StrokeLine2(t.line, c.Min.X, mid.Y, c.Max.X, mid.Y)
	if len(t.markers) > 0 {
		c.DrawGlyphNoClip(t.glyph, mid)
	}
}

// ruleSample is the legend's sample of a kind of line, whatever its colour.
func ruleSample(dash []vg.Length) *trace {
	return &trace{line: draw.LineStyle{Color: sketch.Quiet, Width: sketch.LineWidth * 0.7, Dashes: dash}}
}

// What the intervals of a plot are of.
const (
	ofRoundsText = "95 % interval of the median of the rounds"
	ofRatiosText = "95 % interval of the ratio"
)

// explainSpans says in the legend what the intervals of a measure are of, if there are any.
func explainSpans(s *sketch.Sketch, all []*series, y measure, what string) {
	if anyOf(all, y) {
		s.Explain(what, spanSample{})
	}
}

// anyOf tells whether a measure of any row has an interval.
func anyOf(all []*series, y measure) bool {
	return slices.ContainsFunc(all, func(s *series) bool {
		return slices.ContainsFunc(s.entries, func(e reports.Entry) bool {
			v, _ := y(e)
			return v.known()
		})
	})
}

// spanSample is the legend's sample of an interval.
type spanSample struct{}

// Thumbnail implements [plot.Thumbnailer].
func (spanSample) Thumbnail(c *draw.Canvas) {
	mid := c.Center()
	strokeSpan(*c, draw.LineStyle{Color: sketch.Quiet}, mid.X, mid.Y, c.Min.Y+1, c.Max.Y-1)
}

package plots

import (
	"slices"

	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/rows"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A trace is a line with markers and intervals at some of its points. It is also its own sample in
// the legend.
type trace struct {
	points  plotter.XYs
	markers plotter.XYs
	hollow  plotter.XYs // the markers of doubtful rows
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
	radius := vg.Points(3.5)
	if s.small {
		radius = vg.Points(2.6)
	}
	return &trace{
		line:  draw.LineStyle{Color: s.color(), Width: chart.LineWidth},
		glyph: draw.GlyphStyle{Color: s.color(), Radius: radius, Shape: s.shape},
	}
}

// traceOf returns the trace of a measure of a series: a point for each row that has the measure,
// with a text for the pointer.
func traceOf(p *chart.Panel, s *series, x func(rows.Entry) float64, y measure, text func(*series, rows.Entry) string) *trace {
	t := newTrace(s)
	for _, e := range s.entries {
		v, ok := y(e)
		at := x(e)
		if !ok || at <= 0 {
			continue
		}
		t.points = append(t.points, plotter.XY{X: at, Y: v.value})
		if v.hasInterval() {
			t.spans = append(t.spans, span{at, v})
		}
		if v.doubtful {
			t.hollow = append(t.hollow, plotter.XY{X: at, Y: v.value})
		}
		p.Tooltips = append(p.Tooltips, chart.Tooltip{X: at, Y: v.value, Text: text(s, e)})
	}
	t.markers = t.points
	return t
}

// drawLines draws a measure of series in a panel and their legend, and returns what it drew and the values
// that the axis must show.
func (g *group) drawLines(sk *chart.Sketch, p *chart.Panel, all []*series, x func(rows.Entry) float64, y measure, text func(*series, rows.Entry) string) (drawn []*trace, values []float64) {
	for _, s := range all {
		t := traceOf(p, s, x, y, text)
		if len(t.points) == 0 {
			continue
		}
		p.Plot.Add(t)
		g.explain(sk, s, t)
		sk.Points += len(t.points)
		drawn, values = append(drawn, t), append(values, t.values()...)
	}
	return drawn, values
}

// explain adds the sample of a series to the legend, without the color of the mode if the panels have a
// mode each.
func (g *group) explain(sk *chart.Sketch, s *series, t *trace) {
	sample := *t
	if g.byMode {
		sample.line.Color, sample.glyph.Color = s.neutral(), s.neutral()
	}
	sk.NameLine(s.name, s.brief(g), &sample)
}

// values returns the values that an axis must show.
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
		inside := func(v vg.Length) vg.Length { return min(max(v, c.Min.Y), c.Max.Y) }
		strokeSpan(c, t.line, x(s.x), inside(y(s.value)), inside(y(s.low)), inside(y(s.high)))
	}
	for _, pt := range t.markers {
		c.DrawGlyph(t.glyph, vg.Point{X: x(pt.X), Y: y(pt.Y)})
	}
	for _, pt := range t.hollow {
		c.DrawGlyph(hole(t.glyph), vg.Point{X: x(pt.X), Y: y(pt.Y)})
	}
}

// hole returns the style of the inside of a hollow marker.
func hole(glyph draw.GlyphStyle) draw.GlyphStyle {
	glyph.Color, glyph.Radius = chart.Paper, glyph.Radius*0.55
	return glyph
}

// spanEnd is half the width of the ends of an interval.
const spanEnd = vg.Length(3)

// strokeSpan draws an interval as a thin line with a stroke at each end. It extends the line to a
// value outside of the interval.
func strokeSpan(c draw.Canvas, style draw.LineStyle, x, value, low, high vg.Length) {
	style.Width, style.Dashes = 1, nil
	c.StrokeLine2(style, x, min(value, low), x, max(value, high))
	c.StrokeLine2(style, x-spanEnd, low, x+spanEnd, low)
	c.StrokeLine2(style, x-spanEnd, high, x+spanEnd, high)
}

// Thumbnail implements [plot.Thumbnailer].
func (t *trace) Thumbnail(c *draw.Canvas) {
	mid := c.Center()
	c.StrokeLine2(t.line, c.Min.X, mid.Y, c.Max.X, mid.Y)
	if len(t.markers) > 0 {
		c.DrawGlyphNoClip(t.glyph, mid)
	}
}

// ruleSample returns the legend's sample of a kind of line, without its color.
func ruleSample(dash []vg.Length) *trace {
	return &trace{line: draw.LineStyle{Color: chart.Quiet, Width: chart.LineWidth * 0.7, Dashes: dash}}
}

// The meanings of the intervals of a plot.
const (
	ofValuesText = "95 % interval"
	ofRatiosText = "95 % interval of the ratio"
)

// explainSpans adds the meanings of the intervals and of hollow markers to the legend, if a measure
// has any.
func explainSpans(s *chart.Sketch, all []*series, y measure, what string) {
	if anyOf(all, y, estimate.hasInterval) {
		s.Explain(what, spanSample{})
	}
	explainHollow(s, all, y)
}

// explainHollow adds the meaning of hollow markers to the legend, if a measure has any.
func explainHollow(s *chart.Sketch, all []*series, y measure) {
	if anyOf(all, y, func(v estimate) bool { return v.doubtful }) {
		s.Explain(doubtfulText, hollowSample{})
	}
}

// The meanings of hollow markers.
const (
	doubtfulText = "disturbed, or rounds at two levels"
	unclearText  = "unclear, disturbed, or faster only here (by chance?)"
)

// anyOf reports whether a measure of some row is as wanted.
func anyOf(all []*series, y measure, wanted func(estimate) bool) bool {
	return slices.ContainsFunc(all, func(s *series) bool {
		return slices.ContainsFunc(s.entries, func(e rows.Entry) bool {
			v, ok := y(e)
			return ok && wanted(v)
		})
	})
}

// hollowSample is the legend's sample of a hollow marker.
type hollowSample struct{}

// Thumbnail implements [plot.Thumbnailer].
func (hollowSample) Thumbnail(c *draw.Canvas) {
	glyph := draw.GlyphStyle{Color: chart.Quiet, Radius: vg.Points(3.5), Shape: draw.CircleGlyph{}}
	c.DrawGlyphNoClip(glyph, c.Center())
	c.DrawGlyphNoClip(hole(glyph), c.Center())
}

// spanSample is the legend's sample of an interval.
type spanSample struct{}

// Thumbnail implements [plot.Thumbnailer].
func (spanSample) Thumbnail(c *draw.Canvas) {
	mid := c.Center()
	strokeSpan(*c, draw.LineStyle{Color: chart.Quiet}, mid.X, mid.Y, c.Min.Y+1, c.Max.Y-1)
}

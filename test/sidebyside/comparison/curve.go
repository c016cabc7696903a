package comparison

import (
	"cmp"
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// curveSizes is from how many sizes on lines that differ in size alone are a curve.
const curveSizes = 4

// curvesOf takes the lines that are points of curves out of those of a comparison.
// Parameters may differ with the size.
func curvesOf(lines []*Line) (curves [][]*Line, single []*Line) {
	type key struct{ test, arrival, metric, subject, reference string }
	of := func(l *Line) key {
		return key{l.Test, l.Arrival, l.Metric, l.Subject.Label(), l.Reference.Label()}
	}
	together := map[key][]*Line{}
	for _, l := range lines {
		if l.Size > 0 {
			together[of(l)] = append(together[of(l)], l)
		}
	}
	for _, l := range lines {
		all := together[of(l)]
		switch {
		case l.Size <= 0 || !differ(all):
			single = append(single, l)
		case l == all[0]:
			sorted := slices.SortedFunc(slices.Values(all), func(a, b *Line) int { return cmp.Compare(a.Size, b.Size) })
			curves = append(curves, sorted)
		}
	}
	return curves, single
}

// differ tells whether lines are of enough sizes for a curve, and no two of one.
func differ(lines []*Line) bool {
	sizes := map[int]bool{}
	for _, l := range lines {
		sizes[l.Size] = true
	}
	return len(lines) >= curveSizes && len(sizes) == len(lines)
}

// curveSketch draws the ratios of lines by their size.
func curveSketch(c *Comparison, lines []*Line) *sketch.Sketch {
	first := lines[0]
	s := sketch.Blank()
	s.Name = reports.Slug(slug, c.Machine.Host, first.Test, first.Arrival, "by_size")
	s.Title = reports.Shorten(first.Test, 24) + ", " + first.Arrival + ": " + first.Subject.Label() + " side by side with " + first.Reference.Label()
	s.Subtitle = reports.Shorten(c.Machine.Host, 60) + ", ratios of interleaved pairs, dot: median ratio, bar: quartiles"
	s.Warnings = sketch.FewWarnings(c.WarningLines())
	s.YLabel = "subject / reference; at the bottom the median of each, one above the other [" + first.Unit() + "]"
	curve := ratioCurve{lines: lines}
	var sizes []int
	for _, l := range lines {
		sizes = append(sizes, l.Size)
		curve.dots = append(curve.dots, ratioDot{
			at: float64(l.Size), color: metricColors[l.Metric], label: units.RatioText(l.Ratio.Median, 1),
			goal: drawnGoal(l), low: drawable(l.Ratio.Q1), mid: drawable(l.Ratio.Median), high: drawable(l.Ratio.Q3),
		})
	}
	s.Plot.Add(sketch.Grid(), curve)
	s.SizeAxis(sizes)
	s.Plot.X.Min, s.Plot.X.Max = float64(sizes[0])/1.5, float64(sizes[len(sizes)-1])*1.5 // room for the labels
	curve.setRange(&s.Plot.Y)
	explainMetrics(s, lines)
	return s
}

// A ratioCurve is the dots of lines by size, joined, and a rule where both programs
// are equal.
type ratioCurve struct {
	lines []*Line
	dots  ratioDots
}

// Plot implements [plot.Plotter].
func (r ratioCurve) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: sketch.Ink, Width: vg.Points(1.2)}, c.Min.X, y(1), c.Max.X, y(1))
	var path []vg.Point
	for _, d := range r.dots {
		path = append(path, vg.Point{X: x(d.at), Y: y(d.mid)})
	}
	c.StrokeLines(draw.LineStyle{Color: r.dots[0].color, Width: sketch.LineWidth}, path)
	ratio := sketch.TextStyle(10, false, sketch.Ink, draw.TextStyle{XAlign: draw.XCenter, YAlign: draw.YBottom})
	value := sketch.TextStyle(9, false, sketch.Quiet, draw.TextStyle{XAlign: draw.XCenter, YAlign: draw.YBottom})
	for i, d := range r.dots {
		d.stand(c, path[i], y(d.low), y(d.high))
		c.FillText(ratio, vg.Point{X: path[i].X, Y: y(d.high) + vg.Points(6)}, d.label)
		text := r.lines[i].Text
		c.FillText(value, vg.Point{X: path[i].X, Y: c.Min.Y + vg.Points(14)}, text(r.lines[i].Subject.Median))
		c.FillText(value, vg.Point{X: path[i].X, Y: c.Min.Y + vg.Points(3)}, text(r.lines[i].Reference.Median))
	}
}

// setRange fits the axis to the dots, with room below for the medians.
func (r ratioCurve) setRange(a *plot.Axis) {
	r.dots.setRange(a)
	if _, log := a.Scale.(sketch.LogScale); log {
		a.Min /= 2
	} else {
		a.Min -= (a.Max - a.Min) * 0.12
	}
}

// stand draws the dot with its bar upright.
func (d ratioDot) stand(c draw.Canvas, mid vg.Point, low, high vg.Length) {
	const cap = vg.Length(4)
	style := draw.LineStyle{Color: d.color, Width: sketch.LineWidth}
	c.StrokeLine2(style, mid.X, low, mid.X, high)
	c.StrokeLine2(style, mid.X-cap, low, mid.X+cap, low)
	c.StrokeLine2(style, mid.X-cap, high, mid.X+cap, high)
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: d.color, Radius: vg.Points(4), Shape: draw.CircleGlyph{}}, mid)
}

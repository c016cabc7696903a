package comparison

import (
	"image/color"
	"math"
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ratioLines is how many lines of a comparison have room on one plot.
const ratioLines = 18

// extremeRatio bounds what is drawn: beyond it a dot stands at the edge.
const extremeRatio = 1000

// metricColors tells metrics apart.
var metricColors = map[string]color.NRGBA{
	MetricLatency:   sketch.Blue,
	MetricBandwidth: sketch.Vermillion,
	MetricRate:      sketch.Green,
	MetricMean:      sketch.SkyBlue,
	MetricTime:      sketch.Violet,
	MetricWall:      sketch.Purple,
	MetricMemory:    sketch.Orange,
}

// sketches draws the ratios of a comparison, some lines on each plot, and lines
// that differ in size alone as a curve on a plot of its own.
func sketches(c *Comparison) []*sketch.Sketch {
	var measured []*Line
	for i := range c.Lines {
		if len(c.Lines[i].Subject.Rounds) > 0 {
			measured = append(measured, &c.Lines[i])
		}
	}
	var all []*sketch.Sketch
	curves, single := curvesOf(measured)
	for lines := range slices.Chunk(single, ratioLines) {
		all = append(all, dotSketch(c, lines))
	}
	for _, lines := range curves {
		all = append(all, curveSketch(c, lines))
	}
	return all
}

func dotSketch(c *Comparison, lines []*Line) *sketch.Sketch {
	s := sketch.Blank()
	s.Name = reports.Slug(slug, c.Machine.Host)
	s.Title = reports.Shorten(c.Title(), 90)
	s.Subtitle = reports.Shorten(c.Machine.Host, 60) + ", ratios of interleaved pairs, dot: median ratio, bar: quartiles, stroke: goal"
	s.Warnings = sketch.FewWarnings(c.WarningLines())
	s.XLabel = "subject / reference"
	s.YLabel = "test, size, arrival: reference"
	dots := ratioDots{}
	for i, l := range lines {
		dots = append(dots, ratioDot{
			at: float64(len(lines) - 1 - i), color: metricColors[l.Metric], label: units.RatioText(l.Ratio.Median, 1),
			goal: drawnGoal(l), low: drawable(l.Ratio.Q1), mid: drawable(l.Ratio.Median), high: drawable(l.Ratio.Q3),
		})
	}
	s.Plot.Add(sketch.Grid(), dots)
	dots.setRange(&s.Plot.X)
	s.Plot.Y.Min, s.Plot.Y.Max = -0.7, float64(len(lines))-0.3
	s.Plot.Y.Tick.Marker = lineNames(lines)
	s.Plot.Y.Tick.Length = 0
	explainMetrics(s, lines)
	return s
}

// explainMetrics says for each metric that is there which side of 1 is better.
func explainMetrics(s *sketch.Sketch, lines []*Line) {
	for _, metric := range MetricOrder {
		if slices.ContainsFunc(lines, func(l *Line) bool { return l.Metric == metric }) {
			s.Explain(MetricMeaning(metric), ratioDot{color: metricColors[metric]})
		}
	}
}

// drawable keeps a ratio on the paper.
func drawable(ratio float64) float64 {
	return math.Min(math.Max(ratio, 1.0/extremeRatio), extremeRatio)
}

// lineNames marks each line with its test, size and arrival, and with its reference.
type lineNames []*Line

// Ticks implements [plot.Ticker].
func (n lineNames) Ticks(_, _ float64) []plot.Tick {
	var ticks []plot.Tick
	for i, l := range n {
		ticks = append(ticks, plot.Tick{Value: float64(len(n) - 1 - i),
			Label: drawnName(l) + ": " + l.Reference.Label()})
	}
	return ticks
}

// drawnGoal is on the rule where there is no goal.
func drawnGoal(l *Line) float64 {
	if l.Goal <= 0 {
		return 1
	}
	return drawable(l.Goal)
}

// drawnName names the device too where the reference has another.
func drawnName(l *Line) string {
	name := reports.Shorten(l.Test, 24) + ", " + units.Size(l.Size) + ", " + l.Arrival
	if l.Reference.Device != "" && l.Reference.Device != l.Subject.Device {
		name += ", " + reports.Shorten(l.Subject.Device, 16)
	}
	return name
}

// A ratioDot is one line: its median, a bar from quartile to quartile, and its goal.
type ratioDot struct {
	at             float64 // on the y axis
	low, mid, high float64
	goal           float64 // 1 where there is none: on the rule
	color          color.Color
	label          string
}

// Thumbnail implements [plot.Thumbnailer].
func (d ratioDot) Thumbnail(c *draw.Canvas) {
	mid := c.Center()
	d.draw(*c, c.Min.X+4, mid.X, c.Max.X-4, mid.Y)
}

func (d ratioDot) draw(c draw.Canvas, low, mid, high, y vg.Length) {
	const cap = vg.Length(4)
	style := draw.LineStyle{Color: d.color, Width: sketch.LineWidth}
	c.StrokeLine2(style, low, y, high, y)
	c.StrokeLine2(style, low, y-cap, low, y+cap)
	c.StrokeLine2(style, high, y-cap, high, y+cap)
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: d.color, Radius: vg.Points(4), Shape: draw.CircleGlyph{}}, vg.Point{X: mid, Y: y})
}

// ratioDots draws all lines, and a rule where both programs are equal.
type ratioDots []ratioDot

// Plot implements [plot.Plotter].
func (ds ratioDots) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: sketch.Ink, Width: vg.Points(1.2)}, x(1), c.Min.Y, x(1), c.Max.Y)
	style := sketch.TextStyle(10, false, sketch.Ink, draw.TextStyle{XAlign: draw.XLeft, YAlign: draw.YCenter})
	for _, d := range ds {
		c.StrokeLine2(draw.LineStyle{Color: sketch.Ink, Width: vg.Points(2)}, x(d.goal), y(d.at)-vg.Points(8), x(d.goal), y(d.at)+vg.Points(8))
		d.draw(c, x(d.low), x(d.mid), x(d.high), y(d.at))
		c.FillText(style, vg.Point{X: x(d.high) + vg.Points(7), Y: y(d.at)}, d.label)
	}
}

// setRange fits the axis to all quartiles and to 1, with room for the labels:
// even where the ratios are near each other, else logarithmic.
func (ds ratioDots) setRange(a *plot.Axis) {
	least, most := 1.0, 1.0
	for _, d := range ds {
		least, most = min(least, d.low, d.goal), max(most, d.high, d.goal)
	}
	if most/least > sketch.LogFrom {
		a.Min, a.Max = sketch.LogFloor(least), sketch.LogCeil(most*1.3)
		a.Scale, a.Tick.Marker = sketch.LogScale{}, sketch.LogTicks{}
		return
	}
	room := math.Max(most-least, 0.1) * 0.1
	a.Min, a.Max = least-room, most+2*room
	a.Tick.Marker = sketch.EvenTicks{}
}

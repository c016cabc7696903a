package plots

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"github.com/ibperf/ibperf/reports/result"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ratioSketch draws each mode's ratio to poll by message size. Rows without a ratio have
// no point. There is none if no row has one.
func ratioSketch(g *group, lines []*series) *sketch.Sketch {
	s := newSketch(g, lines, "ratio to "+result.BaseMode+" by message size", "ratio")
	one := &oneLine{above: "faster", below: "slower"}
	if g.Kind == result.KindLatency {
		one.above, one.below = one.below, one.above
	}
	s.Plot.Add(sketch.Grid(), one)
	values := drawLines(s, lines, sizeOf, g.ratio, g.ratioSpot)
	if len(values) == 0 {
		return nil
	}
	explainSpans(s, lines, g.ratio, ofRatiosText)
	s.Plot.Add(g.ratioLabels(lines))
	fitRatios(&s.Plot.Y, values)
	s.Right = vg.Points(84)
	s.YLabel = g.ratioName(lines) + ", ratio to " + result.BaseMode + " in the same rounds"
	s.SizeAxis(positive(sizesOf(lines)))
	s.WidenX()
	return s
}

// ratioName names what the ratios are of.
func (g *group) ratioName(lines []*series) string {
	for _, s := range lines {
		for _, e := range s.entries {
			if r, ok := g.ratios[e.Row]; ok {
				return strings.ToLower(r.What[:1]) + r.What[1:]
			}
		}
	}
	return ""
}

// labelledSizes is of how many message sizes there is room for the ratios.
const labelledSizes = 12

// ratioLabels writes ratios beyond the ends of their intervals: the greatest of a size
// above, the others below.
func (g *group) ratioLabels(lines []*series) *labels {
	l := &labels{rules: []float64{1}}
	most := map[int]float64{}
	sizes := sizesOf(lines)
	every := (len(sizes) + labelledSizes - 1) / labelledSizes
	for _, s := range lines {
		for _, e := range s.entries {
			if v, ok := g.ratio(e); ok && e.Size > 0 {
				at := plotter.XY{X: sizeOf(e), Y: v.value}
				l.markers = append(l.markers, at)
				most[e.Size] = max(most[e.Size], v.value)
				if slices.Index(sizes, e.Size)%every == 0 {
					l.texts = append(l.texts, label{at: at, low: v.low, high: v.high, text: g.ratioNumber(e), color: sketch.Text(modeColors[s.mode])})
				}
			}
		}
	}
	for i := range l.texts {
		t := &l.texts[i]
		if t.try = []direction{below, above}; t.at.Y == most[int(t.at.X)] {
			t.try = []direction{above, below}
		}
	}
	return l
}

// ratioNumber is the ratio of a row without its interval, as tables print it.
func (g *group) ratioNumber(e reports.Entry) string {
	number, _, _ := strings.Cut(g.ratios[e.Row].Text(), " ")
	return number
}

// fitRatios fits an axis to ratios and to 1, logarithmic where they range wide.
func fitRatios(a *plot.Axis, values []float64) {
	least, most := 1.0, 1.0
	for _, v := range values {
		least, most = min(least, v), max(most, v)
	}
	if most/least > 3 {
		a.Min, a.Max = sketch.LogFloor(least*0.75), sketch.LogCeil(most*1.2)
		a.Scale, a.Tick.Marker = sketch.LogScale{}, sketch.LogTicks{}
		return
	}
	room := max(most-least, 0.05) * 0.15
	a.Min, a.Max = least-room, most+room
	a.Tick.Marker = sketch.EvenTicks{}
}

// oneLine is the rule at the ratio 1, with words beside it on what lies above and below.
type oneLine struct{ above, below string }

// Plot implements [plot.Plotter].
func (o *oneLine) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	at := y(1)
	c.StrokeLine2(draw.LineStyle{Color: sketch.Ink, Width: vg.Points(1.2)}, c.Min.X, at, c.Max.X, at)
	style := sketch.TextStyle(10, false, sketch.Ink, draw.TextStyle{XAlign: draw.XLeft, YAlign: draw.YCenter})
	x := c.Max.X + vg.Points(7)
	c.FillText(style, vg.Point{X: x, Y: at + vg.Points(15)}, o.above+" than "+result.BaseMode)
	c.FillText(style, vg.Point{X: x, Y: at}, "1: as "+result.BaseMode)
	c.FillText(style, vg.Point{X: x, Y: at - vg.Points(15)}, o.below+" than "+result.BaseMode)
}

package plots

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
	"gonum.org/v1/plot/plotter"
)

// ratioSketch draws each mode's ratio to poll by message size: modes that spin on a linear axis with a
// band for "same", and event, whose ratios are far away, in a panel of its own. Rows without a ratio have
// no point. It returns nil if no row has a ratio.
func ratioSketch(g *group, lines []*series) *chart.Sketch {
	s := newSketch(g, lines, kindRatio, "ratio to "+result.BaseName+" by message size", "ratio")
	label := g.ratioName(lines) + ", ratio to " + result.BaseName + "; " + g.fasterSide() + " 1 is faster"
	drawn := 0
	for _, some := range g.ratioPanels(lines) {
		p := s.NextPanel(drawn)
		if !g.drawRatios(s, p, some) {
			continue
		}
		drawn++
		g.entitle(s, p, some, label)
		if p.SizeAxis(positive(sizesOf(lines))); !g.byMode {
			label = "event, on an axis of its own"
		}
		p.WidenX()
	}
	if drawn == 0 {
		return nil
	}
	if g.finishPanels(s, drawn); drawn == 2 && !g.byMode {
		s.Share, s.XLabel, s.NoStops = 1.6, "", true
	}
	if anyOf(lines, g.ratio, estimate.hasInterval) {
		s.Explain(ofRatiosText, spanSample{})
	}
	if anyOf(lines, g.ratio, func(v estimate) bool { return v.doubtful }) {
		s.Explain(unclearText, hollowSample{})
	}
	return s
}

// ratioPanels divides series into those of a panel each: event and its variants have their own.
func (g *group) ratioPanels(lines []*series) [][]*series {
	if g.byMode {
		return g.panels(lines)
	}
	var spinning, events []*series
	for _, s := range lines {
		if s.mode == option.ModeEvent {
			events = append(events, s)
		} else {
			spinning = append(spinning, s)
		}
	}
	return [][]*series{spinning, events}
}

// fasterSide returns the side of 1 on which ratios are those of faster modes.
func (g *group) fasterSide() string {
	if g.Kind == option.KindLatency {
		return "below"
	}
	return "above"
}

// drawRatios draws ratios into a panel, and reports whether there were any.
func (g *group) drawRatios(s *chart.Sketch, p *chart.Panel, some []*series) bool {
	if !anyOf(some, g.ratio, func(estimate) bool { return true }) {
		return false
	}
	apart := some[0].mode == option.ModeEvent
	noise := g.noiseBands(p)
	if !apart {
		p.Plot.Add(sameBand{}, noise)
	}
	posts := g.changePosts(some)
	p.Plot.Add(chart.Grid(), oneLine{}, posts)
	drawn, values := g.drawLines(s, p, some, sizeOf, g.ratio, g.ratioTooltip)
	if len(drawn) == 0 {
		return false
	}
	if apart {
		fitRatios(&p.Plot.Y, values)
	} else {
		s.Explain(`"same": within 5 % of 1`, patch{chart.Shade})
		if len(noise) > 0 {
			s.Explain("95 % interval of "+rows.ControlName+", the noise", patch{chart.Noise})
		}
		fitLinear(&p.Plot.Y, drawn)
	}
	l := g.ratioLabels(some, drawn)
	posts.label(l, p.Plot.Y.Max)
	p.Plot.Add(l)
	return true
}

// ratioName returns the number that the ratios are of.
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

// labeledSizes is the number of message sizes that have room for labels.
const labeledSizes = 12

// ratioLabels returns the labels of ratios outside of their intervals: above for the largest of a
// size, below for the others.
func (g *group) ratioLabels(lines []*series, drawn []*trace) *labels {
	l := &labels{rules: []float64{1}, traces: drawn}
	largest := map[int]float64{}
	sizes := sizesOf(lines)
	every := (len(sizes) + labeledSizes - 1) / labeledSizes
	for _, s := range lines {
		for _, e := range s.entries {
			v, ok := g.ratio(e)
			if !ok || e.Size <= 0 {
				continue
			}
			largest[e.Size] = max(largest[e.Size], v.value)
			if slices.Index(sizes, e.Size)%every == 0 && !g.byMode {
				l.texts = append(l.texts, label{at: plotter.XY{X: sizeOf(e), Y: v.value}, low: v.low, high: v.high,
					text: g.ratioNumber(e), color: chart.Text(modeColors[s.mode])})
			}
		}
	}
	for i := range l.texts {
		t := &l.texts[i]
		if t.sides = []side{below, above}; t.at.Y == largest[int(t.at.X)] {
			t.sides = []side{above, below}
		}
	}
	return l
}

// ratioNumber returns the ratio of a row without its interval, as tables print it.
func (g *group) ratioNumber(e rows.Entry) string {
	number, _, _ := strings.Cut(g.ratios[e.Row].Text(), " ")
	return number
}

package plots

import (
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// maxSweepSizes is the maximum number of message sizes of which a sweep is drawn. Of more, these are
// the smallest, the largest and some between.
const maxSweepSizes = 4

// sweepSketches draws the modes along the axis of a sweep, with plots for each size. Those of sizes
// after the first are details.
func sweepSketches(g *group, lines []*series) []*chart.Sketch {
	var all []*chart.Sketch
	for i, size := range spread(sizesOf(lines), maxSweepSizes) {
		some := ofSize(lines, size)
		var drawn []*chart.Sketch
		switch g.Along {
		case rows.AlongQPs:
			drawn = []*chart.Sketch{qpsSketch(g, some, size)}
		case rows.AlongRate:
			drawn = []*chart.Sketch{loadSketch(g, some, size), loadTailSketch(g, some, size), loadBusySketch(g, some, size)}
		default:
			drawn = []*chart.Sketch{pauseSketch(g, some, size), pauseBusySketch(g, some, size)}
		}
		for _, s := range drawn {
			if s != nil {
				s.Detail = i > 0
				all = append(all, s)
			}
		}
	}
	return all
}

// qpsSketch draws median latency or message rate by the number of QPs, and where modes cross.
func qpsSketch(g *group, lines []*series, size int) *chart.Sketch {
	what, y := "median latency", measure(medianUsec)
	label := "median latency [usec], lower is better"
	if g.Kind == option.KindBandwidth {
		what, y = "message rate", roundMpps
		label = rateLabel(what, "million messages/s")
	}
	s := newSketch(g, lines, kindQPs, what+" by number of QPs, "+bytesText(size), "qps", units.Size(size))
	var stops []plot.Tick
	for i, f := range g.Runs {
		if at := g.Along.Value(f); at > 0 {
			stops = append(stops, plot.Tick{Value: at, Label: g.Label(i)})
		}
	}
	if len(stops) == 0 {
		return nil
	}
	markCrossovers(s, g, lines)
	s.Plot.Add(chart.Grid())
	_, values := g.drawLines(s, s.Panel, lines, func(e rows.Entry) float64 { return g.Along.Value(e.File) }, y, g.rowTooltip)
	if len(values) == 0 {
		return nil
	}
	explainSpans(s, lines, y, ofValuesText)
	chart.FitAxis(&s.Plot.Y, values, true)
	s.YLabel = label
	s.StopAxis("number of QPs", stops)
	return s
}

// markCrossovers notes which of data and poll is ahead where, and of other modes and poll if they cross,
// and shades the ranges in which that changes.
func markCrossovers(s *chart.Sketch, g *group, lines []*series) {
	for _, mode := range []option.Mode{option.ModeData, option.ModeCounter, option.ModeAdaptive, option.ModeEvent} {
		leads := g.leads(lines, mode)
		cross := crossings(leads)
		if !slices.ContainsFunc(leads, func(l lead) bool { return l != unknown }) || mode != option.ModeData && len(cross) == 0 {
			continue
		}
		s.Notes = append(s.Notes, g.crossoverText(string(mode), result.BaseName, leads))
		for _, c := range cross {
			s.Plot.Add(shade{g.Along.Value(g.Runs[c.from]), g.Along.Value(g.Runs[c.to])})
		}
	}
}

// leads returns for each run of a sweep whether a mode or poll is ahead, according to the interval
// of their ratio. It is unknown for disturbed rows.
func (g *group) leads(lines []*series, mode option.Mode) []lead {
	leads := make([]lead, len(g.Runs))
	for _, s := range lines {
		for _, e := range s.entries {
			r, ok := g.ratios[e.Row]
			if !ok || e.Mode != mode || e.Variant != "" || g.excluded[e.Row] {
				continue
			}
			switch {
			case r.Disturbed:
			case r.Relation == rows.Faster:
				leads[e.Run] = first
			case r.Relation == rows.Slower:
				leads[e.Run] = second
			default:
				leads[e.Run] = unsure
			}
		}
	}
	return leads
}

// A shade marks the range between two values on the x axis.
type shade struct{ from, to float64 }

// Plot implements [plot.Plotter].
func (s shade) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	c.FillPolygon(chart.Shade, []vg.Point{{X: x(s.from), Y: c.Min.Y}, {X: x(s.to), Y: c.Min.Y}, {X: x(s.to), Y: c.Max.Y}, {X: x(s.from), Y: c.Max.Y}})
}

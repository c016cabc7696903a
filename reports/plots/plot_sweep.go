package plots

import (
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"github.com/ibperf/ibperf/reports/result"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// maxSweepSizes is of how many message sizes a sweep is drawn: of more, the least, the
// greatest and some between.
const maxSweepSizes = 4

// sweepSketches draws the modes along the axis of a sweep, with plots of its own for each
// size. Those beyond the first are details.
func sweepSketches(g *group, lines []*series) []*sketch.Sketch {
	var all []*sketch.Sketch
	for i, size := range spread(sizesOf(lines), maxSweepSizes) {
		some := ofSize(lines, size)
		var drawn []*sketch.Sketch
		if g.Along == reports.AlongQPs {
			drawn = []*sketch.Sketch{qpsSketch(g, some, size)}
		} else {
			drawn = []*sketch.Sketch{pauseSketch(g, some, size), pauseBusySketch(g, some, size)}
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

// qpsSketch draws median latency or message rate by the number of QPs, and where modes
// cross.
func qpsSketch(g *group, lines []*series, size int) *sketch.Sketch {
	what, y := "median latency", measure(medianUsec)
	label := "median latency [usec], lower is better"
	if g.Kind == result.KindBandwidth {
		what, y = "message rate", roundMpps
		label = rateLabel(what, "10^6 messages/s", lines)
	}
	s := newSketch(g, lines, what+" by number of QPs, "+bytesText(size), "qps", units.Size(size))
	var stops []plot.Tick
	for i, f := range g.Runs {
		if at := g.Along.Of(f); at > 0 {
			stops = append(stops, plot.Tick{Value: at, Label: g.Label(i)})
		}
	}
	if len(stops) == 0 {
		return nil
	}
	markCrossovers(s, g, lines)
	s.Plot.Add(sketch.Grid())
	values := drawLines(s, lines, func(e reports.Entry) float64 { return g.Along.Of(e.File) }, y, g.spotText)
	if len(values) == 0 {
		return nil
	}
	explainSpans(s, lines, y, ofRoundsText)
	sketch.FitAxis(&s.Plot.Y, values, true)
	s.YLabel = label
	s.StopAxis("number of QPs", stops)
	return s
}

// markCrossovers says of data and poll which is ahead where, and of poll and event if they
// cross, and marks where that changes.
func markCrossovers(s *sketch.Sketch, g *group, lines []*series) {
	for _, mode := range []string{"data", "event"} {
		leads := g.leads(lines, mode)
		cross := crossings(leads)
		if !slices.ContainsFunc(leads, func(l lead) bool { return l != unknown }) || mode == "event" && len(cross) == 0 {
			continue
		}
		s.Notes = append(s.Notes, g.crossoverText(mode, result.BaseMode, leads))
		for _, c := range cross {
			s.Plot.Add(shade{g.Along.Of(g.Runs[c.from]), g.Along.Of(g.Runs[c.to])})
		}
	}
}

// leads tells of each run of a sweep whether a mode or poll is ahead, by the interval of
// their ratio. Where a row was disturbed that is not known.
func (g *group) leads(lines []*series, mode string) []lead {
	leads := make([]lead, len(g.Runs))
	for _, s := range lines {
		for _, e := range s.entries {
			r, ok := g.ratios[e.Row]
			if !ok || e.Name() != mode || g.barred[e.Row] {
				continue
			}
			larger, smaller := first, second
			if g.Kind == result.KindLatency {
				larger, smaller = second, first
			}
			switch r.Relation {
			case reports.Disturbed:
			case reports.Larger:
				leads[e.Run] = larger
			case reports.Smaller:
				leads[e.Run] = smaller
			default:
				leads[e.Run] = unsure
			}
		}
	}
	return leads
}

// A shade marks what lies between two places on the x axis.
type shade struct{ from, to float64 }

// Plot implements [plot.Plotter].
func (s shade) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	c.FillPolygon(sketch.Shade, []vg.Point{{X: x(s.from), Y: c.Min.Y}, {X: x(s.to), Y: c.Min.Y}, {X: x(s.to), Y: c.Max.Y}, {X: x(s.from), Y: c.Max.Y}})
}

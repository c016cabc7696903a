package plots

import (
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
	"gonum.org/v1/plot"
)

// loadSketch draws the median response time by the rate at which messages are due.
func loadSketch(g *group, lines []*series, size int) *chart.Sketch {
	s := newSketch(g, lines, kindLoad, "median response time by rate, "+bytesText(size), "load", units.Size(size))
	s.YLabel = "median response time [usec], lower is better"
	return byRate(s, g, lines, ofKept(medianUsec), g.rowTooltip)
}

// loadTailSketch draws the 99th percentile of response times.
func loadTailSketch(g *group, lines []*series, size int) *chart.Sketch {
	s := newSketch(g, lines, kindLoadTail, "99th percentile of response times by rate, "+bytesText(size), "load_p99", units.Size(size))
	s.YLabel = "99th percentile of response times [usec], lower is better"
	return byRate(s, g, lines, ofKept(tailUsec), g.rowTooltip)
}

// loadBusySketch draws how busy the core of the waiting side is.
func loadBusySketch(g *group, lines []*series, size int) *chart.Sketch {
	s := newSketch(g, lines, kindLoadBusy, "core busy by rate, "+bytesText(size), "load_busy", units.Size(size))
	_, who := lines[0].entries[0].PausedBusy()
	s.YLabel = "core busy " + who + " [%], lower is better"
	if s = byRate(s, g, lines, ofKept(pausedPercent), g.busyTooltip); s != nil {
		explainHollow(s, lines, pausedPercent)
	}
	return s
}

// ofKept returns a measure of rows that kept their rate.
func ofKept(y measure) measure {
	return func(e rows.Entry) (estimate, bool) {
		if e.Load == nil || !e.KeepsRate() {
			return estimate{}, false
		}
		return y(e)
	}
}

// byRate draws a measure by the rates that a mode has kept, with the rate of each mode beyond which its backlog grows. It returns nil
// if there is nothing to draw.
func byRate(s *chart.Sketch, g *group, lines []*series, y measure, text func(*series, rows.Entry) string) *chart.Sketch {
	var stops []plot.Tick
	for i, f := range g.Runs {
		if slices.ContainsFunc(f.Rows, func(r result.Row) bool { return r.Load != nil && r.KeepsRate() }) {
			stops = append(stops, plot.Tick{Value: g.Along.Value(f), Label: g.Label(i)})
		}
	}
	s.StopAxis("messages that are due per second", stops)
	s.Plot.Add(chart.Grid())
	_, values := g.drawLines(s, s.Panel, lines, func(e rows.Entry) float64 { return g.Along.Value(e.File) }, y, text)
	if len(values) == 0 {
		return nil
	}
	if s.Kind == kindLoadBusy {
		busyAxis(&s.Plot.Y, values)
	} else {
		explainSpans(s, lines, y, ofValuesText)
		chart.FitAxis(&s.Plot.Y, values, true)
	}
	if most := kneesOf(g, lines); len(most) > 0 {
		s.Plot.X.Max = max(s.Plot.X.Max, slices.Max(most.rates()))
		s.Plot.Add(most)
		s.Explain("maximum rate", ruleSample(kneeDashes))
		s.Notes = append(s.Notes, most.text())
	}
	return s
}

package plots

import (
	"math"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/rows"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pauseSketch draws median latency by the pause between messages.
func pauseSketch(g *group, lines []*series, size int) *chart.Sketch {
	s := newSketch(g, lines, kindPause, "median by pause between messages, "+bytesText(size), "pause", units.Size(size))
	values := byPause(s, g, lines, medianUsec, g.rowTooltip)
	if len(values) == 0 {
		return nil
	}
	explainSpans(s, lines, medianUsec, ofValuesText)
	chart.FitAxis(&s.Plot.Y, values, true)
	s.YLabel = "median latency [usec], lower is better"
	return s
}

// pauseBusySketch draws how busy the core is on the side that waits during pauses. It returns nil if
// that was not measured.
func pauseBusySketch(g *group, lines []*series, size int) *chart.Sketch {
	s := newSketch(g, lines, kindPauseBusy, "core busy by pause between messages, "+bytesText(size), "pause_busy", units.Size(size))
	values := byPause(s, g, lines, pausedPercent, g.busyTooltip)
	if len(values) == 0 {
		return nil
	}
	explainHollow(s, lines, pausedPercent)
	busyAxis(&s.Plot.Y, values)
	_, who := lines[0].entries[0].PausedBusy()
	s.YLabel = "core busy " + who + " [%], lower is better"
	return s
}

// byPause draws a measure by the pause between messages, and returns its values.
func byPause(s *chart.Sketch, g *group, lines []*series, y measure, text func(*series, rows.Entry) string) []float64 {
	pauses := newPauseAxis(g)
	if len(pauses.stops) == 0 {
		return nil
	}
	s.StopAxis("pause between messages [usec]", pauses.stops)
	s.Plot.Add(chart.Grid(), pauses)
	_, values := g.drawLines(s, s.Panel, lines, pauses.position, y, text)
	return values
}

// A pauseAxis is a logarithmic axis of pauses in microseconds, with a separate position for no
// pause.
type pauseAxis struct {
	stops []plot.Tick
	zero  float64 // position of no pause; 0 if every run has a pause
}

func newPauseAxis(g *group) *pauseAxis {
	a := &pauseAxis{}
	for i, f := range g.Runs {
		if at := units.Usec(g.Along.Value(f)); at > 0 {
			a.stops = append(a.stops, plot.Tick{Value: at, Label: g.Label(i)})
		}
	}
	if n := len(a.stops); n > 0 && n < len(g.Runs) {
		first, last := a.stops[0].Value, a.stops[n-1].Value
		a.zero = first / max(2, math.Pow(last/first, 1/float64(max(n-1, 1))))
		a.stops = append([]plot.Tick{{Value: a.zero, Label: "0"}}, a.stops...)
	}
	return a
}

// position returns the position of a row.
func (a *pauseAxis) position(e rows.Entry) float64 {
	if at := units.Usec(rows.AlongGap.Value(e.File)); at > 0 {
		return at
	}
	return a.zero
}

// Plot implements [plot.Plotter]: it breaks the axis behind the place of no pause.
func (a *pauseAxis) Plot(c draw.Canvas, p *plot.Plot) {
	if a.zero <= 0 {
		return
	}
	x, _ := p.Transforms(&c)
	at := (x(a.zero) + x(a.stops[1].Value)) / 2
	c.FillPolygon(chart.Paper, []vg.Point{{X: at - 3, Y: c.Min.Y - 2}, {X: at + 3, Y: c.Min.Y - 2}, {X: at + 3, Y: c.Min.Y + 2}, {X: at - 3, Y: c.Min.Y + 2}})
	for _, shift := range []vg.Length{-3, 3} {
		c.StrokeLine2(draw.LineStyle{Color: chart.Quiet, Width: vg.Points(1)}, at+shift-2, c.Min.Y-4, at+shift+2, c.Min.Y+4)
	}
}

package plots

import (
	"math"

	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/rows"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// fitLinear fits a linear axis to ratios and 1. Intervals that are far wider than the ratios apart are
// cut off, those of doubtful ratios sooner.
func fitLinear(a *plot.Axis, drawn []*trace) {
	low, high := 1-rows.SameDistance, 1+rows.SameDistance
	for _, t := range drawn {
		for _, v := range ys(t.points) {
			low, high = min(low, v), max(high, v)
		}
	}
	from, to := low, high
	for _, t := range drawn {
		for _, s := range t.spans {
			room := max(high-low, 0.3)
			if s.doubtful {
				room *= 0.3
			}
			from, to = min(from, max(s.low, low-room)), max(to, min(s.high, high+room))
		}
	}
	room := (to - from) * 0.1
	a.Min, a.Max = max(from-room, 0), to+room
	a.Tick.Marker = chart.EvenTicks{}
}

// fitRatios fits an axis to ratios and 1. It is logarithmic if they range widely.
func fitRatios(a *plot.Axis, values []float64) {
	low, high := 1.0, 1.0
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	if high/low > 3 {
		a.Min, a.Max = chart.LogFloor(low*0.75), chart.LogCeil(high*1.2)
		a.Scale, a.Tick.Marker = chart.LogScale{}, chart.LogTicks{}
		return
	}
	room := max(high-low, 0.05) * 0.15
	a.Min, a.Max = low-room, high+room
	a.Tick.Marker = chart.EvenTicks{}
}

// sameBand shades the ratios that are the same as 1.
type sameBand struct{}

// Plot implements [plot.Plotter].
func (sameBand) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	fillBox(c, chart.Shade, c.Min.X, max(y(1-rows.SameDistance), c.Min.Y), c.Max.X, min(y(1+rows.SameDistance), c.Max.Y))
}

// oneLine is the rule at the ratio 1.
type oneLine struct{}

// Plot implements [plot.Plotter].
func (oneLine) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	if at := y(1); at >= c.Min.Y && at <= c.Max.Y {
		c.StrokeLine2(draw.LineStyle{Color: chart.Ink, Width: vg.Points(1.2)}, c.Min.X, at, c.Max.X, at)
	}
}

// between returns the middle of two sizes on the axis.
func between(a, b int) float64 { return math.Sqrt(float64(a) * float64(b)) }

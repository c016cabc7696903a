package chart

import (
	"math"
	"slices"
	"strconv"

	"github.com/ibperf/ibperf/internal/units"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// logFrom is the ratio of the largest to the smallest value from which on an axis is logarithmic.
const logFrom = 10

// FitAxis fits an axis to positive values. It is logarithmic if they range widely or if log is set;
// otherwise it begins at zero.
func FitAxis(a *plot.Axis, values []float64, log bool) {
	const nothing = 1e-9 // in any unit of an axis
	low, high := math.Inf(1), 0.0
	for _, v := range values {
		if v > nothing {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	switch {
	case high == 0:
		a.Min, a.Max = 0, 1
		a.Tick.Marker = EvenTicks{}
	case log || high/low > logFrom:
		a.Min, a.Max = LogFloor(low*0.96), LogCeil(high)
		a.Scale = LogScale{}
		a.Tick.Marker = LogTicks{}
	default:
		a.Min, a.Max = 0, high*1.08
		a.Tick.Marker = EvenTicks{}
	}
}

// A LogScale is a logarithmic axis that draws values below its range, such as a latency of zero, at
// its lower end.
type LogScale struct{}

// Normalize implements [plot.Normalizer].
func (LogScale) Normalize(from, to, v float64) float64 {
	low := math.Log(from)
	return (math.Log(math.Max(v, from)) - low) / (math.Log(to) - low)
}

// The steps of a logarithmic axis within a decade.
var logSteps = []float64{1, 2, 5}

// LogFloor returns the largest of 1, 2, 5, 10, ... that is slightly below v.
func LogFloor(v float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(v*0.97)))
	floor := decade
	for _, s := range logSteps {
		if decade*s <= v*0.97 {
			floor = decade * s
		}
	}
	return floor
}

// LogCeil returns the smallest of 1, 2, 5, 10, ... that is slightly above v.
func LogCeil(v float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(v*1.03)))
	for _, s := range logSteps {
		if decade*s >= v*1.03 {
			return decade * s
		}
	}
	return decade * 10
}

// LogTicks marks 1, 2 and 5 of every decade. If there are many decades it marks only 1, and skips
// decades.
type LogTicks struct{}

// Ticks implements [plot.Ticker].
func (LogTicks) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	decades := math.Log10(high) - math.Log10(low)
	wide := decades > 4.1
	step := math.Max(math.Ceil(decades/10), 1)
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e += step {
		for s := 1.0; s < 10; s++ {
			v := s * math.Pow(10, e)
			if v < low*0.999 || v > high*1.001 {
				continue
			}
			t := plot.Tick{Value: v}
			if s == 1 || (!wide && (s == 2 || s == 5)) {
				t.Label = tickNumber(v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// EvenTicks marks about six round numbers.
type EvenTicks struct{}

// Ticks implements [plot.Ticker].
func (EvenTicks) Ticks(low, high float64) []plot.Tick {
	step := LogCeil((high - low) / 10)
	if !(step > 0) || math.IsInf(step, 0) {
		return nil
	}
	var ticks []plot.Tick
	for i := math.Ceil(low / step); i*step <= high && len(ticks) < 20; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: tickNumber(i * step)})
	}
	return ticks
}

// Number formats v with the given number of digits, without an exponent or trailing zeros.
func Number(v float64, digits int) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		rounded = v
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// tickNumber formats the label of a tick.
func tickNumber(v float64) string { return Number(v, 6) }

// SizeAxis makes the x axis one of message sizes, in ascending order.
func (s *Panel) SizeAxis(sizes []int) {
	var stops []plot.Tick
	for _, size := range sizes {
		stops = append(stops, plot.Tick{Value: float64(size), Label: units.Size(size)})
	}
	s.StopAxis("message size [bytes]", stops)
}

// StopAxis makes the x axis logarithmic, with ticks only at the measured values: stops, in ascending
// order from above 0.
func (s *Panel) StopAxis(label string, stops []plot.Tick) {
	s.XLabel = label
	s.Plot.Y.Padding = vg.Points(8) // room between the y axis and the first points
	a := &s.Plot.X
	a.Scale = LogScale{}
	a.Min, a.Max = stops[0].Value, stops[len(stops)-1].Value
	if len(stops) == 1 {
		a.Min, a.Max = a.Min/2, a.Max*2
	}
	a.Tick.Marker = stopTicks(stops)
}

// WidenX adds room to the left of the first stop and to the right of the last, for labels at them.
func (s *Panel) WidenX() {
	a := &s.Plot.X
	by := math.Pow(a.Max/a.Min, 0.04)
	a.Min, a.Max = a.Min/by, a.Max*by
	s.Plot.Y.Padding = 0
}

// stopTicks marks stops, and labels those that have room for a label.
type stopTicks []plot.Tick

// Ticks implements [plot.Ticker].
func (stops stopTicks) Ticks(low, high float64) []plot.Tick {
	const labels = 13 // that fit side by side
	ticks := slices.Clone(stops)
	last := math.Inf(-1)
	for i, t := range ticks {
		if at := (LogScale{}).Normalize(low, high, t.Value); at-last >= 1.0/labels {
			last = at
		} else {
			ticks[i].Label = ""
		}
	}
	return ticks
}

// Grid returns thin lines at the labeled ticks.
func Grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = Faint, Faint
	g.Vertical.Width, g.Horizontal.Width = vg.Points(0.5), vg.Points(0.5)
	return g
}

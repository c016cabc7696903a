package sketch

import (
	"math"
	"slices"
	"strconv"

	"github.com/ibperf/ibperf/internal/units"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// LogFrom is the ratio of greatest to least value from which an axis is
// logarithmic.
const LogFrom = 10

// FitAxis fits an axis to positive values: logarithmic where they range wide
// or log is asked for, else from zero.
func FitAxis(a *plot.Axis, values []float64, log bool) {
	const nothing = 1e-9 // in any unit of an axis
	least, most := math.Inf(1), 0.0
	for _, v := range values {
		if v > nothing {
			least, most = math.Min(least, v), math.Max(most, v)
		}
	}
	switch {
	case most == 0:
		a.Min, a.Max = 0, 1
		a.Tick.Marker = EvenTicks{}
	case log || most/least > LogFrom:
		a.Min, a.Max = LogFloor(least*0.96), LogCeil(most)
		a.Scale = LogScale{}
		a.Tick.Marker = LogTicks{}
	default:
		a.Min, a.Max = 0, most*1.08
		a.Tick.Marker = EvenTicks{}
	}
}

// A LogScale is a logarithmic axis that draws what is below its range, such as
// a latency of nothing, at its low end.
type LogScale struct{}

// Normalize implements [plot.Normalizer].
func (LogScale) Normalize(least, most, v float64) float64 {
	low := math.Log(least)
	return (math.Log(math.Max(v, least)) - low) / (math.Log(most) - low)
}

// The steps of a logarithmic axis within a decade.
var logSteps = []float64{1, 2, 5}

// LogFloor returns the greatest of 1, 2, 5, 10, ... that is below v by a little.
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

// LogCeil returns the least of 1, 2, 5, 10, ... that is above v by a little.
func LogCeil(v float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(v*1.03)))
	for _, s := range logSteps {
		if decade*s >= v*1.03 {
			return decade * s
		}
	}
	return decade * 10
}

// LogTicks marks 1, 2, 5 of every decade, or only 1 where there are many, or not
// even every decade.
type LogTicks struct{}

// Ticks implements [plot.Ticker].
func (LogTicks) Ticks(least, most float64) []plot.Tick {
	var ticks []plot.Tick
	decades := math.Log10(most) - math.Log10(least)
	wide := decades > 4.1
	step := math.Max(math.Ceil(decades/10), 1)
	for e := math.Floor(math.Log10(least)); e <= math.Ceil(math.Log10(most)); e += step {
		for s := 1.0; s < 10; s++ {
			v := s * math.Pow(10, e)
			if v < least*0.999 || v > most*1.001 {
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
func (EvenTicks) Ticks(least, most float64) []plot.Tick {
	step := LogCeil((most - least) / 10)
	if !(step > 0) || math.IsInf(step, 0) {
		return nil
	}
	var ticks []plot.Tick
	for i := math.Ceil(least / step); i*step <= most && len(ticks) < 20; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: tickNumber(i * step)})
	}
	return ticks
}

// Number prints a number with so many digits, without exponent and needless zeros.
func Number(v float64, digits int) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		rounded = v
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// tickNumber prints a tick.
func tickNumber(v float64) string { return Number(v, 6) }

// SizeAxis makes the x axis one of message sizes, which ascend.
func (s *Sketch) SizeAxis(sizes []int) {
	var stops []plot.Tick
	for _, size := range sizes {
		stops = append(stops, plot.Tick{Value: float64(size), Label: units.Size(size)})
	}
	s.StopAxis("message size [bytes]", stops)
}

// StopAxis makes the x axis a logarithmic one that is marked where there are measurements:
// at stops, which ascend from above 0.
func (s *Sketch) StopAxis(label string, stops []plot.Tick) {
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

// WidenX makes room on both sides of the first and the last stop, for what is written at
// them.
func (s *Sketch) WidenX() {
	a := &s.Plot.X
	by := math.Pow(a.Max/a.Min, 0.04)
	a.Min, a.Max = a.Min/by, a.Max*by
	s.Plot.Y.Padding = 0
}

// stopTicks marks stops, with a label where there is room for one.
type stopTicks []plot.Tick

// Ticks implements [plot.Ticker].
func (stops stopTicks) Ticks(least, most float64) []plot.Tick {
	const labels = 13 // that have room side by side
	ticks := slices.Clone(stops)
	last := math.Inf(-1)
	for i, t := range ticks {
		if at := (LogScale{}).Normalize(least, most, t.Value); at-last >= 1.0/labels {
			last = at
		} else {
			ticks[i].Label = ""
		}
	}
	return ticks
}

// Grid returns thin lines at the labelled ticks.
func Grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = Faint, Faint
	g.Vertical.Width, g.Horizontal.Width = vg.Points(0.5), vg.Points(0.5)
	return g
}

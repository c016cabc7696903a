// Package confidence estimates the value of a mode and the ratio of two modes from the figures of
// their rounds, each with a 95 % confidence interval. It reports what would narrow an interval, more
// rounds or more runs, and whether a mode's rounds form two levels.
//
// The rounds of a run share memory, queues and a state of the machine, so that they resemble each
// other more than those of another run. The interval therefore comes from the variation between runs
// (Kalibera and Jones, Rigorous Benchmarking in Reasonable Time, ISMM 2013). What slows two modes of
// a run alike cancels out of their ratio (Bulej and others, Duet Benchmarking, ICPE 2020).
package confidence

import (
	"math"
	"slices"
)

// An Estimate is a value with its 95 % interval. The estimate of a ratio has the reciprocal values
// if the modes are swapped.
type Estimate struct {
	Value, Low, High float64

	N int // rounds that count

	// Enough is false if there are too few runs and rounds for a 95 % interval. Low and High are then
	// equal to Value.
	Enough bool
}

// OfRatio estimates the ratio of a to b. a[i] and b[i] are the figures of the two modes in one
// round, in the order of time, and runs[i] is the number of that round's run. Rounds in which one
// of the figures is not above 0 do not count.
//
// A run's figure of a mode is the median of its rounds. The ratio is the geometric mean of the runs'
// ratios. Its interval is Student's for the mean of their logarithms, from the means of four groups of
// neighbouring runs, or from each run if there are fewer than eight. A single run is divided into parts that take the place of runs.
func OfRatio(a, b []float64, runs []int) Estimate {
	all, enough := samples(a, b, runs)
	if len(all) == 0 {
		return Estimate{}
	}
	logs, n := logRatios(all)
	m, _ := meanAndDeviation(logs)
	half := 0.0
	if enough {
		means := groupMeans(logs)
		_, sd := meanAndDeviation(means)
		half = student(float64(len(means)-1), 0.975) * sd / math.Sqrt(float64(len(means)))
	}
	return Estimate{Value: math.Exp(m), Low: math.Exp(m - half), High: math.Exp(m + half), N: n, Enough: enough}
}

// OfFigures estimates the value of one mode as [OfRatio] does the ratio of two. The quotient of two
// modes' values is their ratio if the same rounds count for both. figures[i] is from a round of run
// runs[i], in the order of time. Figures that are not above 0 do not count.
func OfFigures(figures []float64, runs []int) Estimate {
	return OfRatio(figures, slices.Repeat([]float64{1}, len(figures)), runs)
}

// WidenedBy returns an estimate whose interval also allows for the deviation of a control, which is
// the ratio of a mode to a copy of itself. If the control's interval excludes 1, something other than
// chance separates even copies, and both ends move outwards by the factor between the control and 1.
func (e Estimate) WidenedBy(control Estimate) Estimate {
	if control.ExcludesOne() {
		factor := math.Exp(math.Abs(math.Log(control.Value)))
		e.Low /= factor
		e.High *= factor
	}
	return e
}

// ExcludesOne reports whether the two modes differ significantly: the interval does not hold 1.
func (e Estimate) ExcludesOne() bool { return e.Enough && (e.Low > 1 || e.High < 1) }

// HalfWidth returns half the width of the interval as a fraction of the value, or infinity if there
// are too few runs and rounds for an interval.
func (e Estimate) HalfWidth() float64 {
	if !e.Enough {
		return math.Inf(1)
	}
	return (e.High - e.Low) / 2 / e.Value
}

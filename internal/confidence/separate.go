package confidence

import (
	"math"
	"slices"
)

// A Series is the figures of a mode's rounds, in the order of time, and the number of each round's run.
type Series struct {
	Figures []float64
	Runs    []int
}

// OfSeparate estimates the ratio of a to b, which were measured separately and not in the same rounds. Its
// interval is one of a number of intervals that hold their true ratios together in at least 95 % of all cases
// (Bonferroni). It is Welch's, from the same groups of runs as that of [OfRatio]. What changed between
// the two measurements besides the modes is part of the ratio, and not of the interval.
func OfSeparate(a, b Series, intervals int) Estimate {
	meanA, errorA, freedomA, nA := a.logMean()
	meanB, errorB, freedomB, nB := b.logMean()
	if nA == 0 || nB == 0 {
		return Estimate{}
	}
	m := meanA - meanB
	e := Estimate{Value: math.Exp(m), Low: math.Exp(m), High: math.Exp(m), N: min(nA, nB)}
	if freedomA == 0 || freedomB == 0 {
		return e
	}
	e.Enough = true
	if variance := errorA*errorA + errorB*errorB; variance > 0 {
		freedom := variance * variance / (math.Pow(errorA, 4)/freedomA + math.Pow(errorB, 4)/freedomB)
		half := student(freedom, 1-0.025/float64(max(1, intervals))) * math.Sqrt(variance)
		e.Low, e.High = math.Exp(m-half), math.Exp(m+half)
	}
	return e
}

// logMean returns the mean of the logarithms of the runs' figures, its standard error with the degrees of
// freedom, which are 0 if there are too few runs and rounds for an interval, and the number of rounds.
func (s Series) logMean() (mean, standardError, freedom float64, n int) {
	all, enough := samples(s.Figures, slices.Repeat([]float64{1}, len(s.Figures)), s.Runs)
	logs, n := logRatios(all)
	mean, _ = meanAndDeviation(logs)
	if !enough {
		return mean, 0, 0, n
	}
	means := groupMeans(logs)
	_, sd := meanAndDeviation(means)
	return mean, sd / math.Sqrt(float64(len(means))), float64(len(means) - 1), n
}

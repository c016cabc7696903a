package confidence

import (
	"math"
	"slices"
)

// LogRatios returns the logarithm of the ratio of a to b for each pair of runs. Their runs were made in turn, so that
// the i-th run of each saw the host in the same state. A run's figure is the median of its rounds; rounds without a
// figure above 0 do not count.
func LogRatios(a, b Series) (logs []float64) {
	ours, theirs := a.medians(), b.medians()
	for i := range min(len(ours), len(theirs)) {
		logs = append(logs, math.Log(ours[i]/theirs[i]))
	}
	return logs
}

// medians returns the median of each run, in the order of the runs.
func (s Series) medians() (all []float64) {
	index := map[int]int{}
	var figures [][]float64
	for i, f := range s.Figures {
		if f <= 0 {
			continue
		}
		at, known := index[s.Runs[i]]
		if !known {
			at = len(figures)
			index[s.Runs[i]] = at
			figures = append(figures, nil)
		}
		figures[at] = append(figures[at], f)
	}
	for _, of := range figures {
		all = append(all, median(of))
	}
	return all
}

// OfLogRatios estimates a ratio from the logarithms of [LogRatios]: their Hodges-Lehmann estimate, with the interval of
// Wilcoxon's signed-rank test, which a few pairs that other work has disturbed move little. It is one of a number of
// intervals that hold their true ratios together in at least 95 % of all cases (Bonferroni). If the two are alike,
// a logarithm and its negative are equally likely, which is all that the test assumes.
func OfLogRatios(logs []float64, intervals int) Estimate {
	if len(logs) == 0 {
		return Estimate{}
	}
	var means []float64 // of all pairs of logarithms, and of each with itself
	for i := range logs {
		for j := range i + 1 {
			means = append(means, (logs[i]+logs[j])/2)
		}
	}
	slices.Sort(means)
	last := len(means) - 1
	middle := math.Exp((means[last/2] + means[(last+1)/2]) / 2)
	e := Estimate{Value: middle, Low: middle, High: middle, N: len(logs)}
	if cut := signedRankCut(len(logs), 0.025/float64(max(1, intervals))); cut > 0 {
		e.Low, e.High, e.Enough = math.Exp(means[cut-1]), math.Exp(means[last-cut+1]), true
	}
	return e
}

// signedRankCut returns the largest number that the sum of the positive ranks of n values is below with at most a
// probability, if positive and negative values are equally likely: 0 if n is too small for such a number.
func signedRankCut(n int, probability float64) (cut int) {
	chance := make([]float64, n*(n+1)/2+1) // of each sum
	chance[0] = 1
	for rank := 1; rank <= n; rank++ {
		for sum := rank * (rank + 1) / 2; sum >= 0; sum-- {
			chance[sum] /= 2
			if sum >= rank {
				chance[sum] += chance[sum-rank] / 2
			}
		}
	}
	for below := 0.0; cut < len(chance); cut++ {
		if below += chance[cut]; below > probability {
			return cut
		}
	}
	return cut
}

package confidence

import (
	"math"
	"slices"
)

// LogBest returns the logarithm of the best figure of each run's rounds, in the order of the runs: the least or the largest one.
// What disturbs a host makes some rounds worse, and never better. Rounds without a figure above 0 do not count.
func (s Series) LogBest(least bool) (logs []float64) {
	index := map[int]int{}
	for i, f := range s.Figures {
		if f <= 0 {
			continue
		}
		at, known := index[s.Runs[i]]
		switch v := math.Log(f); {
		case !known:
			index[s.Runs[i]] = len(logs)
			logs = append(logs, v)
		case least == (v < logs[at]):
			logs[at] = v
		}
	}
	return logs
}

// OfFastRuns estimates the ratio of a to b from the logarithms of the figures of their runs, which were made in turn: the
// ratio of the quartiles of the faster runs, whose figures are the least or the largest. Up to half of the runs, in
// which the host was slow, move it little.
//
// It is one of a number of intervals that hold their true ratios together in at least 95 % of all cases (Bonferroni). The
// interval is that of the precedence test: if a and b are alike, an early run of a is faster than a late one of b, in the
// order of their figures, with a probability that depends on the two ranks alone.
func OfFastRuns(a, b []float64, least bool, intervals int) Estimate {
	n := min(len(a), len(b))
	if n == 0 {
		return Estimate{}
	}
	middle := FastQuartile(a[:n], least) / FastQuartile(b[:n], least)
	a, b = fastestFirst(a[:n], least), fastestFirst(b[:n], least)
	e := Estimate{Value: middle, Low: middle, High: middle, N: n}
	if early, late, enough := precedenceRanks(n, quartile(n), 0.025/float64(max(1, intervals))); enough {
		ends := []float64{math.Exp(a[early] - b[late]), math.Exp(a[late] - b[early])}
		e.Low, e.High, e.Enough = slices.Min(ends), slices.Max(ends), true
	}
	return e
}

// FastQuartile returns the figure of a build from the logarithms of those of its runs: a quarter of them is faster. It is 0
// without any.
func FastQuartile(logs []float64, least bool) float64 {
	if len(logs) == 0 {
		return 0
	}
	return math.Exp(fastestFirst(logs, least)[quartile(len(logs))])
}

// quartile returns the rank, from 0, of the quartile of n values.
func quartile(n int) int { return (n - 1) / 4 }

// fastestFirst returns logarithms in the order of speed.
func fastestFirst(logs []float64, least bool) []float64 {
	sorted := slices.Sorted(slices.Values(logs))
	if !least {
		slices.Reverse(sorted)
	}
	return sorted
}

// precedenceRanks returns the nearest ranks on both sides of a middle one, from 0, such that of two sorted samples of n alike
// values each, the value of the early rank in one is above that of the late rank in the other with at most a probability.
func precedenceRanks(n, middle int, probability float64) (early, late int, enough bool) {
	for distance := range n {
		early, late = max(middle-distance, 0), min(middle+distance, n-1)
		if precedence(n, early, late) <= probability {
			return early, late, true
		}
	}
	return early, late, false
}

// precedence returns the probability that of two samples of n alike values each, at most a number of values of one, early, are
// below the value of the rank late, from 0, in the other. Of all orders of the 2n values, it counts those with k values
// below, for each k.
func precedence(n, early, late int) (probability float64) {
	for k := range early + 1 {
		probability += math.Exp(logChoose(late+k, k) + logChoose(2*n-late-1-k, n-k) - logChoose(2*n, n))
	}
	return probability
}

// logChoose returns the logarithm of the number of ways to choose k of n.
func logChoose(n, k int) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	chosen, _ := math.Lgamma(float64(k + 1))
	left, _ := math.Lgamma(float64(n - k + 1))
	return all - chosen - left
}

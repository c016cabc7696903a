package confidence

import (
	"math"
	"slices"
)

// minRuns is the smallest number of runs that have an interval.
const minRuns = 3

// A single run is divided into parts, and many runs form groups. With more of them, neighbouring ones would
// resemble each other where the host changes slowly; with fewer, intervals would be wider than necessary.
const (
	parts  = 5
	groups = 4
)

// A sample is the rounds that give one independent ratio: a run, or a part of a single run.
type sample struct{ a, b []float64 }

// samples divides the rounds that count into samples. enough reports whether they have an interval.
func samples(a, b []float64, runs []int) (all []sample, enough bool) {
	index := map[int]int{}
	for i := range a {
		if !(a[i] > 0 && b[i] > 0) {
			continue
		}
		at, known := index[runs[i]]
		if !known {
			at = len(all)
			index[runs[i]] = at
			all = append(all, sample{})
		}
		all[at].a, all[at].b = append(all[at].a, a[i]), append(all[at].b, b[i])
	}
	if len(all) == 1 && len(all[0].a) >= parts {
		return all[0].divided(), true
	}
	return all, len(all) >= minRuns
}

// divided divides a single run into parts of neighbouring rounds.
func (s sample) divided() []sample {
	n := len(s.a)
	all := make([]sample, parts)
	for i := range all {
		from, to := i*n/parts, (i+1)*n/parts
		all[i] = sample{s.a[from:to], s.b[from:to]}
	}
	return all
}

// logRatios returns the logarithm of each sample's ratio, and the number of rounds.
func logRatios(all []sample) (logs []float64, n int) {
	for _, s := range all {
		logs = append(logs, math.Log(median(s.a)/median(s.b)))
		n += len(s.a)
	}
	return logs, n
}

// groupMeans returns the means of groups of neighbouring values: batch means. Where neighbours resemble
// each other, they vary as the mean of all does, and single values less. Values that are too few for groups of
// two are groups by themselves.
func groupMeans(v []float64) (means []float64) {
	n := len(v)
	if n >= 2*groups {
		n = groups
	}
	for i := range n {
		m, _ := meanAndDeviation(v[i*len(v)/n : (i+1)*len(v)/n])
		means = append(means, m)
	}
	return means
}

// median returns the median of positive figures. That of an even number is the geometric mean of the
// two in the middle, so that a ratio of medians does not depend on which mode is divided by which.
func median(figures []float64) float64 {
	sorted := slices.Sorted(slices.Values(figures))
	n := len(sorted)
	return math.Sqrt(sorted[(n-1)/2]) * math.Sqrt(sorted[n/2])
}

// meanAndDeviation returns the mean of values and their standard deviation, which is 0 for one value.
func meanAndDeviation(v []float64) (m, sd float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - m) * (x - m)
	}
	return m, math.Sqrt(sd / float64(max(1, len(v)-1)))
}

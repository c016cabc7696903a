package ratio

import (
	"cmp"
	"math"
	"slices"
)

// rank returns the largest k for which the k-th smallest and the k-th largest of n
// independent values hold their median between them in 95 % of cases. The number of
// values below the median is binomial, whatever their distribution (David and Nagaraja,
// Order Statistics, section 7.1). n is at least fewest.
func rank(n int) int {
	const tail = 0.025
	below, k := 0.0, 0
	for {
		below += binomial(n, k)
		if below > tail {
			return k
		}
		k++
	}
}

// binomial returns the probability that k of n values lie below their median.
func binomial(n, k int) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	in, _ := math.Lgamma(float64(k + 1))
	out, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(all - in - out - float64(n)*math.Ln2)
}

// place returns what lies so many places above the middle of sorted values, or below it,
// in proportion between two of them.
func place(sorted []float64, places float64) float64 {
	at := float64(len(sorted)-1)/2 + places
	i := int(at)
	next := min(i+1, len(sorted)-1)
	return sorted[i] + (at-float64(i))*(sorted[next]-sorted[i])
}

// pace returns how far apart neighbours lie among the middle 70 % of sorted values.
func pace(sorted []float64) float64 {
	n := float64(len(sorted))
	places := min(0.35*n, (n-1)/2)
	if places == 0 {
		return 0
	}
	return (place(sorted, places) - place(sorted, -places)) / (2 * places)
}

// ranks returns each value's rank among all. Equal values share the mean of theirs.
func ranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(v[i], v[j]) })
	ranks := make([]float64, len(v))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && v[order[to]] == v[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return ranks
}

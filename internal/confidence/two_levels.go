package confidence

import (
	"math"
	"slices"
)

// Levels are two levels that the rounds of a row form.
type Levels struct {
	Low, High           float64 // medians of the figures of each level
	LowShare, HighShare float64 // fractions of the rounds
}

// The thresholds of [TwoLevels]. Of rows that are distributed normally, or drift steadily, or have a long
// tail, about 1 % form two levels by chance. Of rows whose rounds really are at two levels, nearly all are
// found if the levels are 1.3 times apart with 3 % of variation within each, or 1.5 times with 5 %.
const (
	levelRounds = 10  // rounds, at least
	levelShare  = 0.2 // fraction of the rounds at each level, at least
	levelLeast  = 3   // rounds at each level, at least
	levelRatio  = 1.2 // of the two levels, at least
)

// levelDistance returns the smallest distance between the means of two levels of n rounds, in standard
// deviations within them. Few rounds form groups more easily by chance.
func levelDistance(n int) float64 {
	if n < 18 {
		return 6.2
	}
	return 4.7
}

// TwoLevels reports whether the figures of a row's rounds form two levels, as those of a machine that
// switches between two states do. It divides the sorted logarithms where the variance within both
// parts is smallest, and compares the distance of the parts with that variance. Figures that are not
// above 0 do not count.
func TwoLevels(figures []float64) (Levels, bool) {
	sorted := slices.DeleteFunc(slices.Clone(figures), func(v float64) bool { return !(v > 0) })
	slices.Sort(sorted)
	n := len(sorted)
	least := max(levelLeast, int(math.Ceil(levelShare*float64(n))))
	if n < levelRounds {
		return Levels{}, false
	}
	logs := make([]float64, n)
	for i, v := range sorted {
		logs[i] = math.Log(v)
	}
	at, smallest, distance := 0, math.Inf(1), 0.0
	for k := least; k <= n-least; k++ {
		low, lowSD := meanAndDeviation(logs[:k])
		high, highSD := meanAndDeviation(logs[k:])
		if ss := lowSD*lowSD*float64(k-1) + highSD*highSD*float64(n-k-1); ss < smallest {
			at, smallest, distance = k, ss, high-low
		}
	}
	sd := math.Sqrt(smallest / float64(n-2))
	found := Levels{median(sorted[:at]), median(sorted[at:]), float64(at) / float64(n), float64(n-at) / float64(n)}
	return found, found.High >= levelRatio*found.Low && distance >= levelDistance(n)*sd
}

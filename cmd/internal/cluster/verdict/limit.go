package verdict

import "math"

// maxLimit is the largest limit of a ratio.
//
// A sum of ratios of a good node or pair exceeds a threshold x with a probability of exp(-x) at most, if the mean of exp(ratio)
// is 1 at most for a good test (Wald). Real noise is not normal: some tests are low without a reason in a node, and some figures
// have two levels. So ratios are limited, on both sides, to the largest limit with which that mean is 1 at most over the tests that
// were made and one more outlier. If half of the tests are at a lower level nothing can be decided.
var maxLimit = math.Log((1 - minOutliers) / minOutliers)

// The limits that are tried from maxLimit on.
const (
	minLimit  = 0.05
	limitStep = 0.1
)

// sample holds the number of some values and their sum.
type sample struct {
	n   int
	sum float64
}

func (s *sample) add(v float64) { s.n, s.sum = s.n+1, s.sum+v }

func (s sample) without(other sample) sample { return sample{s.n - other.n, s.sum - other.sum} }

func (s sample) mean() float64 { return s.sum / float64(s.n) }

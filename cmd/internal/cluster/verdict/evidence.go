package verdict

import (
	"math"
	"slices"
)

// evidence holds the log likelihood ratio of each test.
type evidence struct {
	*Judge
	residuals  []float64 // of each test: its logarithm over the median of its round
	ratios     []float64 // of each test: positive if the pair is rather slow
	suspects   []bool    // of each node
	trusted    int       // tests without a suspect
	noise      float64   // standard deviation of a residual
	shift      float64   // what a bad node subtracts from the logarithm
	limit      float64   // of a ratio
	sorted     []float64 // memory
	deviations []float64
}

func newEvidence(j *Judge) *evidence {
	return &evidence{
		Judge: j, suspects: make([]bool, j.nodes), noise: minNoise, shift: -math.Log1p(-j.slow), limit: -math.Log(minOutliers),
		residuals: make([]float64, len(j.tests)), ratios: make([]float64, len(j.tests)),
	}
}

// weigh computes residuals, noise, and the ratio of each test.
func (e *evidence) weigh() {
	for begin := 0; begin < len(e.tests); {
		end := begin + 1
		for end < len(e.tests) && e.tests[end].Round == e.tests[begin].Round {
			end++
		}
		e.center(begin, end)
		begin = end
	}
	e.measureNoise()
	for i, r := range e.residuals {
		ratio := (-r - e.shift/2) * e.shift / (e.noise * e.noise)
		e.ratios[i] = min(max(ratio, -e.limit), e.limit)
	}
}

// center computes the residuals of the tests of a round, each over the median of the other tests without a suspect, or
// over 1.
func (e *evidence) center(begin, end int) {
	if e.absolute {
		copy(e.residuals[begin:end], e.logs[begin:end])
		return
	}
	e.sorted = e.sorted[:0]
	for i := begin; i < end; i++ {
		if !e.suspected(e.tests[i]) {
			e.sorted = append(e.sorted, e.logs[i])
		}
	}
	slices.Sort(e.sorted)
	for i := begin; i < end; i++ {
		v := e.logs[i]
		if e.suspected(e.tests[i]) {
			e.residuals[i] = v - median(e.sorted, v)
		} else {
			e.residuals[i] = v - medianOfOthers(e.sorted, v)
		}
	}
}

func (e *evidence) suspected(t Test) bool { return e.suspects[t.A] || e.suspects[t.B] }

// normalMAD is the standard deviation of a normal distribution over its median absolute deviation.
const normalMAD = 1.4826

// Limits of what few tests may show.
const (
	minNoise    = 1e-4
	minOutliers = 0.01 // share of tests that are low without a reason in a node
	outlying    = 3    // standard deviations
	minShift    = 1.5  // standard deviations
)

// measureNoise computes noise, shift and limit from the tests without a suspect. The noise of few tests is
// uncertain, so it is taken as larger. Without any such test noise and shift stay as they were.
func (e *evidence) measureNoise() {
	e.limit = -math.Log(minOutliers)
	e.deviations = e.deviations[:0]
	for i, r := range e.residuals {
		if !e.suspected(e.tests[i]) {
			e.deviations = append(e.deviations, math.Abs(r))
		}
	}
	if e.trusted = len(e.deviations); e.trusted == 0 {
		return
	}
	if !e.absolute {
		margin := 1 + 2/math.Sqrt(float64(e.trusted))
		e.noise = max(normalMAD*nth(e.deviations, e.trusted/2)*margin, minNoise)
		e.shift = max(-math.Log1p(-e.slow), minShift*e.noise)
	}
	outliers := 0
	for i, r := range e.residuals {
		if r < -outlying*e.noise && !e.suspected(e.tests[i]) {
			outliers++
		}
	}
	e.limit = -math.Log(max(float64(outliers)/float64(e.trusted), minOutliers))
}

// suspect marks the nodes whose tests are rather slow.
func (e *evidence) suspect() {
	sums := make([]float64, len(e.suspects))
	for i, t := range e.tests {
		sums[t.A] += e.ratios[i]
		sums[t.B] += e.ratios[i]
	}
	for node, sum := range sums {
		e.suspects[node] = sum > 0
	}
}

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
	limits     []float64 // the same by the tests of all other pairs, for each pair
	sorted     []float64 // memory
	deviations []float64
}

func newEvidence(j *Judge) *evidence {
	return &evidence{
		Judge: j, suspects: make([]bool, j.nodes), noise: minNoise, shift: -math.Log1p(-j.slow), limits: make([]float64, len(j.pairs)),
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
		ratio := e.ratio(r)
		limit := e.limits[e.pair[i]]
		e.ratios[i] = min(max(ratio, -limit), limit)
	}
}

// ratio returns the log likelihood ratio of a test without a limit, as if its noise were normally distributed.
func (e *evidence) ratio(residual float64) float64 {
	return (-residual - e.shift/2) * e.shift / (e.noise * e.noise)
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

// measureNoise computes noise, shift and limits from the tests without a suspect. The noise of few tests is
// uncertain, so it is taken as larger. Without any such test noise and shift stay as they were.
func (e *evidence) measureNoise() {
	e.setAllLimits(maxLimit)
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
	if e.absolute {
		e.setAbsoluteLimits()
	} else {
		e.setLimits()
	}
}

// setAbsoluteLimits sets the limits of all pairs by the share of failed tests. Those of bad nodes are among them.
func (e *evidence) setAbsoluteLimits() {
	failed := 0
	for i, r := range e.residuals {
		if r < -outlying*e.noise && !e.suspected(e.tests[i]) {
			failed++
		}
	}
	e.setAllLimits(-math.Log(max(float64(failed)/float64(e.trusted), minOutliers)))
}

func (e *evidence) setAllLimits(limit float64) {
	e.limit = limit
	for i := range e.limits {
		e.limits[i] = limit
	}
}

// setLimits sets the limits by the tests without a suspect: see maxLimit. The tests of a bad pair are low for a reason, so the
// limit of a pair follows from those of all others.
func (e *evidence) setLimits() {
	factors, pairs := make([]float64, len(e.residuals)), make([]sample, len(e.pairs))
	for i, r := range e.residuals {
		factors[i] = math.Exp(min(max(e.ratio(r), -maxLimit), maxLimit))
	}
	e.setAllLimits(0)
	for limit := maxLimit; limit > minLimit && (e.limit == 0 || slices.Contains(e.limits, 0)); limit -= limitStep {
		all := e.limitedFactors(factors, pairs, limit)
		all.add(math.Exp(limit)) // as if there was one more outlier
		if e.limit == 0 && all.mean() <= 1 {
			e.limit = limit
		}
		for i, own := range pairs {
			if e.limits[i] == 0 && all.without(own).mean() <= 1 {
				e.limits[i] = limit
			}
		}
	}
}

// limitedFactors returns the factors, exp(ratio), of the tests without a suspect, with a limit of the ratios, and sets those of each pair.
func (e *evidence) limitedFactors(factors []float64, pairs []sample, limit float64) (all sample) {
	clear(pairs)
	low, high := math.Exp(-limit), math.Exp(limit)
	for i, factor := range factors {
		if !e.suspected(e.tests[i]) {
			factor = min(max(factor, low), high)
			all.add(factor)
			pairs[e.pair[i]].add(factor)
		}
	}
	return all
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

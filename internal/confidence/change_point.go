package confidence

import (
	"math"
	"slices"
)

// A Gain is by how much one mode was faster than another at one point of a curve: a message size, for example.
type Gain struct {
	// Logs holds the logarithm of the speed-up for each group of neighbouring runs. It is empty where the point
	// does not count.
	Logs []float64

	// Doubt is by how much a failed control widens the point's interval to both sides.
	Doubt float64
}

// GainOf returns the gain of figures of which larger ones are faster, as [OfRatio] takes them. It is empty if they
// have no interval.
func GainOf(a, b []float64, runs []int) Gain {
	all, enough := samples(a, b, runs)
	if !enough {
		return Gain{}
	}
	logs, _ := logRatios(all)
	if slices.ContainsFunc(logs, func(v float64) bool { return math.IsInf(v, 0) }) { // a quotient was out of range
		return Gain{}
	}
	return Gain{Logs: groupMeans(logs)}
}

// WidenedBy returns the gain with the doubt of a control, as [Estimate.WidenedBy] does.
func (g Gain) WidenedBy(control Estimate) Gain {
	if control.ExcludesOne() {
		g.Doubt = math.Abs(math.Log(control.Value))
	}
	return g
}

// MinGain is the smallest gain that counts as faster: 3 %.
var MinGain = math.Log(1.03)

// The constants of the fit, with which simulated curves have the error rates of docs/INTERVALS.md.
const (
	outlying  = 4.0 // median distances of a run from the median of its point beyond which it counts as an outlier
	mostUsual = 8.0 // degrees of freedom of a point's variance that are those of the usual variance, at most
	fade      = 0.8 // weight of a point in a mean, relative to the point before it
)

// ChangePoint returns the number of points up to the change point of a curve: up to there a mode is faster than
// the other, and beyond it is not. All points decide together, in two steps.
//
//   - Of curves that never rise, the one that fits best has gains of MinGain or more up to some point.
//   - It must be certain for each point up to the change point that the mode is faster there or at a later of these
//     points, and it must not be certain that it is MinGain slower there. They are tested in their order, until a test fails.
//
// Of curves of a mode that is nowhere faster, 2.5 % or fewer have a change point.
func ChangePoint(points []Gain) int {
	c := curveOf(points)
	end := c.best()
	critical := c.critical()
	for from := range end {
		mean, deviation, doubt := c.mean(from, end)
		here, own, ownDoubt := c.mean(from, from+1)
		if mean-critical*deviation-doubt <= 0 || here+critical*own+ownDoubt < -MinGain {
			end = from
			break
		}
	}
	if end == 0 {
		return 0
	}
	return c.points[end-1].index + 1
}

// A curve is the points that count.
type curve struct {
	points       []curvePoint
	runs         float64 // groups of runs of each point
	usualFreedom float64 // degrees of freedom that the usual variance has
	shared       float64 // variance of a mean over runs that all points share
}

// A curvePoint is a point of a curve with the mean of its runs.
type curvePoint struct {
	index                         int
	logs                          []float64
	mean, variance, doubt, weight float64
}

// curveOf returns the points that count. Points with few or outlying runs say little about their own variance, which
// is therefore joined with the usual one of the curve.
func curveOf(all []Gain) *curve {
	n := commonLength(all)
	c := &curve{runs: float64(n)}
	for i, g := range all {
		if n > 1 && len(g.Logs) == n {
			c.points = append(c.points, curvePoint{index: i, logs: g.Logs, doubt: g.Doubt})
		}
	}
	if len(c.points) == 0 {
		return c
	}
	c.clip()
	for i := range c.points {
		p := &c.points[i]
		m, sd := meanAndDeviation(p.logs)
		p.mean, p.variance = m, max(sd*sd/c.runs, 1e-12)
	}
	c.moderate()
	c.share()
	return c
}

// moderate joins the variance of each point with the usual one, which counts less the more the variances differ (Smyth,
// Linear Models and Empirical Bayes Methods, 2004). It sets the weights.
func (c *curve) moderate() {
	var variances, logs []float64
	for _, p := range c.points {
		variances, logs = append(variances, p.variance), append(logs, math.Log(p.variance))
	}
	slices.Sort(variances)
	own := c.runs - 1
	usual := variances[len(variances)/2] / math.Pow(1-2/(9*own), 3) // the mean of a chi-squared distribution from its median
	_, sd := meanAndDeviation(logs)
	c.usualFreedom = min(mostUsual, float64(len(c.points)-1))
	if excess := sd*sd - 2/own*(1+1/own+2/(3*own*own)); excess > 0 {
		c.usualFreedom = min(c.usualFreedom, (1+math.Sqrt(1+2*excess))/excess)
	}
	for i := range c.points {
		p := &c.points[i]
		p.variance = (c.usualFreedom*usual + own*p.variance) / (c.usualFreedom + own)
		p.weight = 1 / (usual + p.variance + p.doubt*p.doubt)
	}
}

// commonLength returns the most frequent number of groups. A broken-off comparison has points with fewer.
func commonLength(points []Gain) int {
	count := map[int]int{}
	most := 0
	for _, p := range points {
		if n := len(p.Logs); n > 0 {
			if count[n]++; count[n] > count[most] || count[n] == count[most] && n > most {
				most = n
			}
		}
	}
	return most
}

// clip moves outlying runs nearer to the median of their point. Few runs and points do not show which are outlying.
func (c *curve) clip() {
	if c.runs < 5 || len(c.points) < 10 {
		return
	}
	var medians, distances []float64
	for _, p := range c.points {
		m, distance := middle(p.logs)
		medians, distances = append(medians, m), append(distances, distance)
	}
	usual, _ := middle(distances)
	for i := range c.points {
		p := &c.points[i]
		limit := outlying * max(usual, distances[i])
		p.logs = slices.Clone(p.logs)
		for j, v := range p.logs {
			p.logs[j] = min(max(v, medians[i]-limit), medians[i]+limit)
		}
	}
}

// middle returns the median of values, and the median of their distances from it.
func middle(v []float64) (m, distance float64) {
	m = halfway(v)
	var distances []float64
	for _, x := range v {
		distances = append(distances, math.Abs(x-m))
	}
	return m, halfway(distances)
}

func halfway(v []float64) float64 {
	sorted := slices.Sorted(slices.Values(v))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// share sets the variance that all points share: that of the runs' means over all points, as far as the variance of
// the points does not explain it.
func (c *curve) share() {
	if len(c.points) < 3 {
		return
	}
	means := make([]float64, int(c.runs))
	all, own := 0.0, 0.0
	for _, p := range c.points {
		for run, v := range p.logs {
			means[run] += p.weight * v
		}
		all, own = all+p.weight, own+p.weight*p.weight*p.variance
	}
	_, sd := meanAndDeviation(means)
	c.shared = max(0, (sd*sd/c.runs-own)/(all*all))
}

// best returns how many points have MinGain or more in the best fit of gains that never rise along the curve.
// These are the points up to which the weighted sum of what exceeds MinGain is largest.
func (c *curve) best() (n int) {
	sum, most := 0.0, 0.0
	for i, p := range c.points {
		if sum += p.weight * (p.mean - MinGain); sum > most {
			n, most = i+1, sum
		}
	}
	return n
}

// critical returns how many standard deviations from 0 are certain. The more points there are, the more means are
// tried, so that each must be more certain: 97.5 % for one point, 98.8 % for 24.
func (c *curve) critical() float64 {
	n := float64(len(c.points))
	return student(c.usualFreedom+c.runs-1, 1-0.025/(1+math.Log(n)/3))
}

// mean returns the mean gain of the points from one to another, the standard deviation of this mean, and the
// doubt of their controls. Points that vary more, and that are further away, have less weight.
func (c *curve) mean(from, to int) (mean, deviation, doubt float64) {
	all, variance, near := 0.0, 0.0, 1.0
	for _, p := range c.points[from:to] {
		w := near * p.weight
		mean, doubt, variance = mean+w*p.mean, doubt+w*p.doubt, variance+w*w*p.variance
		all += w
		near *= fade
	}
	return mean / all, math.Sqrt(variance/(all*all) + c.shared), doubt / all
}

package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ibperf/ibperf/internal/confidence"
)

// An outcome says how good the intervals of many comparisons of one plan on one machine are.
type outcome struct {
	covers    [modes]float64 // fraction of a mode's intervals that hold the long-run ratio, or 1 for a control
	different float64        // fraction of equal pairs that were reported as different: adaptive and poll
	halfWidth float64        // median half-width of data's intervals, as a fraction of the ratio
}

// simulate makes comparisons. The long-run ratio of two modes is the one that endless comparisons by
// the same plan would give: the exponential of the mean of the logarithms of all comparisons' ratios.
func (p plan) simulate(m machine, times int) (o outcome) {
	rnd := rand.New(rand.NewPCG(uint64(p.runs), uint64(p.rounds)))
	all := make([][modes]confidence.Estimate, times)
	var longRun [modes]float64
	for i := range all {
		c := p.compare(m, rnd)
		for mode := range modes {
			r := c.ratio(mode)
			longRun[mode] += math.Log(r.Value) / float64(times)
			all[i][mode] = r
		}
	}
	longRun[control] = 0
	var widths []float64
	for _, e := range all {
		for mode := range modes {
			r := e[mode]
			if mode != control {
				r = r.WidenedBy(e[control])
			}
			if low, high := math.Log(r.Low), math.Log(r.High); low <= longRun[mode] && longRun[mode] <= high {
				o.covers[mode] += 1 / float64(times)
			}
		}
		widths = append(widths, e[data].WidenedBy(e[control]).HalfWidth())
		if r := e[adaptive].WidenedBy(e[control]); r.ExcludesOne() && math.Abs(r.Value-1) >= 0.03 {
			o.different += 1 / float64(times)
		}
	}
	slices.Sort(widths)
	o.halfWidth = widths[times/2]
	return o
}

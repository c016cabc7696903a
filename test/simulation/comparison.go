package main

import (
	"math/rand/v2"

	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/option"
)

// A plan says how a comparison spends its time.
type plan struct {
	runs, rounds int
	rowS         float64 // measuring time of a row, over all runs and rounds
	betweenS     float64 // time between two runs of the same rows
}

// Single is a program's comparison of one message size; a run takes 0.15 s beside measuring. Series is
// ib_compare's: all its tests come between two runs of the same rows.
var (
	single = plan{option.DefaultRuns, option.DefaultRounds, 0.4, 0.15}
	series = plan{option.CompareRuns, option.CompareRounds, option.CompareDuration.Seconds(), 30}
)

// seconds returns the time from the first to the last round.
func (p plan) seconds() float64 { return modes*p.rowS + float64(p.runs)*p.betweenS }

// A comparison holds the rounds of each mode, and the run of each.
type comparison struct {
	figures [modes][]float64
	runs    []int
}

// compare measures all modes on a machine at a random time.
func (p plan) compare(m machine, rnd *rand.Rand) *comparison {
	h, c := newHost(m, rnd), &comparison{}
	roundS := p.rowS / float64(p.runs*p.rounds)
	for run := range p.runs {
		h.wait(p.betweenS)
		var own [modes]float64
		for mode := range own {
			own[mode] = m.run[mode] * rnd.NormFloat64()
		}
		for range p.rounds {
			for _, mode := range rnd.Perm(modes) {
				c.figures[mode] = append(c.figures[mode], h.measure(mode, own[mode], roundS))
			}
			c.runs = append(c.runs, run)
		}
	}
	return c
}

// ratio estimates the ratio of a mode to poll.
func (c *comparison) ratio(mode int) confidence.Estimate {
	return confidence.OfRatio(c.figures[mode], c.figures[poll], c.runs)
}

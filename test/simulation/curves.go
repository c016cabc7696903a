package main

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// curveSizes is the number of message sizes of a comparison: those from 1 byte to 8 MiB.
const curveSizes = 24

// A shape returns the true ratio of data's time to poll's at each size, for a ratio of the smallest size and the number
// of sizes up to the change point.
type shape struct {
	name  string
	ratio func(smallest float64, upTo, size int) float64
}

// step is the shape of curves that have one ratio up to the change point, and 1 beyond it.
var step = shape{"one ratio, then 1", func(smallest float64, upTo, size int) float64 {
	if size < upTo {
		return smallest
	}
	return 1
}}

// shapes lists the shapes of the tables.
var shapes = []shape{
	step,
	{"one ratio, then 1.1", func(smallest float64, upTo, size int) float64 {
		if size < upTo {
			return smallest
		}
		return 1.1
	}},
	{"gains halve", func(smallest float64, upTo, size int) float64 { // from size to size, to 4 % at the change point
		return max(smallest, math.Exp(-0.04*math.Pow(2, float64(upTo-1-size))))
	}},
	{"1 everywhere", func(float64, int, int) float64 { return 1 }},
}

// counts are of comparisons over all sizes.
type counts struct {
	n      int
	within int // the change point is found within one size
	wrong  int // a size is recommended at which data is not faster
}

// add makes comparisons on a machine. Ratios of the smallest size are 0.5 to 0.97, all logarithms being as frequent.
func (c *counts) add(p plan, m machine, s shape, times int, rnd *rand.Rand) {
	f := curveFile()
	for range times {
		smallest, upTo := 0.5*math.Pow(0.97/0.5, rnd.Float64()), 1+rnd.IntN(curveSizes-2)
		p.fillCurve(f, m, rnd, func(size int) float64 { return s.ratio(smallest, upTo, size) })
		found := 0
		if last, some := rows.Groups([]*result.File{f})[0].Curve(0, option.ModeData).FasterUpTo(); some {
			found = bits.Len(uint(last.Size))
		}
		c.n++
		if found >= upTo-1 && found <= upTo+1 {
			c.within++
		}
		if found > 0 && s.ratio(smallest, upTo, found-1) >= 1 {
			c.wrong++
		}
	}
}

// curveFile returns a file with rows of data, poll and its control at all sizes.
func curveFile() *result.File {
	var sizes []int
	for i := range curveSizes {
		sizes = append(sizes, 1<<i)
	}
	f := testresult.File(noTest{}, option.OpWrite, option.KindLatency, sizes, option.ModeData, option.ModePoll, option.ModePoll)
	for i := range f.Rows {
		if i%3 == 2 {
			f.Rows[i].Variant = option.VariantControl
		}
	}
	return f
}

// fillCurve replaces the rounds of a file by those of a comparison. A round visits the sizes in a random order, and
// the modes of each. Runs of data vary more than those of poll, but the state of the host slows both alike.
func (p plan) fillCurve(f *result.File, m machine, rnd *rand.Rand, ratio func(size int) float64) {
	h := newHost(m, rnd)
	roundS := p.rowS / float64(p.runs*p.rounds)
	own := make([]float64, len(f.Rows))
	for i := range f.Rows {
		f.Rows[i].Rounds = nil
	}
	for run := range p.runs {
		h.wait(p.betweenS)
		for i := range own {
			own[i] = m.run[[]int{data, poll, control}[i%3]] * rnd.NormFloat64()
		}
		for range p.rounds {
			for _, size := range rnd.Perm(curveSizes) {
				for _, mode := range rnd.Perm(3) {
					r := &f.Rows[3*size+mode]
					v := h.measure(poll, own[3*size+mode], roundS)
					if mode == 0 {
						v *= ratio(size)
					}
					r.Rounds = append(r.Rounds, result.Round{Run: run + 1, Messages: 250, Seconds: roundS, P50Ns: v, MeanNs: v})
				}
			}
		}
	}
}

const curveHeading = `| machine | one ratio, then 1 | one ratio, then 1.1 | gains halve | 1 everywhere |
| --- | --- | --- | --- | --- |`

// curveLine says how often change points on a machine are found and sizes are recommended wrongly.
func curveLine(m machine) string {
	line := "| " + m.name + " |"
	for i, s := range shapes {
		var of counts
		of.add(series, m, s, verdicts, rand.New(rand.NewPCG(9, uint64(i))))
		if found := part(of.within, of.n); s.name != "1 everywhere" {
			line += " " + found + ","
		}
		line += " " + part(of.wrong, of.n) + " |"
	}
	return line
}

func part(some, all int) string { return percent(float64(some) / float64(all)) }

// trial makes 200 comparisons of the shape [step], 50 on each machine.
func trial() (all counts) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, m := range machines {
		all.add(series, m, step, 50, rnd)
	}
	return all
}

// String returns the numbers of a trial.
func (c counts) String() string {
	return fmt.Sprintf("Of %d comparisons %d find the change point within one size, and %d recommend a wrong size.", c.n, c.within, c.wrong)
}

package loop

import (
	"math/rand/v2"
	"slices"
	"time"
)

// arrivals are the distances of the times at which the messages of an open loop are due. They are drawn before the clock
// starts. The rounds of all modes with the same number have the same ones, but for those of event if it is also measured on one CPU.
type arrivals struct {
	rounds   uint64    // rounds that have begun in this run
	interval float64   // ns, their mean
	first    float64   // ns from the start to the time from which on messages are due
	gaps     []float64 // ns, used in turn
}

// drawn is the number of distances that are drawn for a round. Their mean is exactly that of the rate.
const drawn = 1 << 16

// begin draws the distances of a worker's round. All workers, also those of several devices, have the same part of the rate, as
// each sends as many messages in a counted round. At constant distances their messages are due in turn.
func (a *arrivals) begin(w *Worker) {
	c := w.test
	a.rounds++
	if !c.OpenLoop {
		return
	}
	a.interval, a.first = c.Interval*float64(len(w.group.Workers)), 0
	if !c.Poisson {
		a.first = c.Interval * float64(w.index)
		a.gaps = append(a.gaps[:0], a.interval)
		return
	}
	random := rand.New(rand.NewPCG(uint64(w.set.Plan.Seed)+uint64(w.index)<<32, uint64(w.cfg.Run)<<32+a.rounds))
	a.gaps = slices.Grow(a.gaps[:0], drawn)[:drawn]
	sum := 0.0
	for i := range a.gaps {
		a.gaps[i] = random.ExpFloat64()
		sum += a.gaps[i]
	}
	for i := range a.gaps {
		a.gaps[i] *= a.interval * drawn / sum
	}
}

// longest returns the longest distance, an hour at most.
func (a *arrivals) longest() time.Duration {
	if len(a.gaps) == 0 {
		return 0
	}
	return time.Duration(min(slices.Max(a.gaps), float64(time.Hour)))
}

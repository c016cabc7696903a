package loop

import (
	"time"

	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/harness/internal/stats"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/result"
)

// Group holds the workers of one completion mode.
type Group struct {
	Mode    testcase.Mode
	Workers []*Worker
}

// Flows returns the flows of all workers in their order.
func (g *Group) Flows() (all []*Flow) {
	for _, w := range g.Workers {
		all = append(all, w.flows...)
	}
	return all
}

// Verified returns the counts of checked and wrong messages in the round, and resets them.
func (g *Group) Verified() *result.Verify {
	var v result.Verify
	for _, f := range g.Flows() {
		for _, check := range []*message.Checker{f.in.check, f.out.check} {
			if check == nil {
				continue
			}
			v.Add(check.Counts())
			check.Reset()
		}
		v.Add(f.out.atomics.counts)
		f.out.atomics.counts = result.Verify{}
	}
	return &v
}

// Rate returns the rate of all workers together, by this side's clock.
func (g *Group) Rate() *stats.Rate {
	return together(g, func(w *Worker) *stats.Rate { return w.rate })
}

// ReverseRate returns the rate, by this side's clock, of the direction that the peer measures.
func (g *Group) ReverseRate() *stats.Rate {
	return together(g, func(w *Worker) *stats.Rate { return w.reverseRate })
}

// together returns the sum of the workers' rates.
func together(g *Group, rateOf func(*Worker) *stats.Rate) *stats.Rate {
	if len(g.Workers) == 1 {
		return rateOf(g.Workers[0])
	}
	var all []*stats.Rate
	for _, w := range g.Workers {
		all = append(all, rateOf(w))
	}
	return stats.MergeConcurrent(all)
}

// AckEvents acknowledges the completion events of a round.
func (g *Group) AckEvents() {
	for _, w := range g.Workers {
		w.sleep.ackEvents()
	}
}

// Test returns the current test case.
func (g *Group) Test() *testcase.Case { return g.Workers[0].test }

// Samples returns the samples of a ping-pong.
func (g *Group) Samples() *stats.Samples { return g.Workers[0].samples }

// ServiceTimes returns the times of an open loop from the post of a message to its answer.
func (g *Group) ServiceTimes() *stats.Samples { return g.Workers[0].serviceTimes }

// Load returns how an open loop kept its schedule.
func (g *Group) Load() Load { return g.Workers[0].load }

// SampledTime returns the time from the beginning of the first sample to the end of the last one,
// pauses included.
func (g *Group) SampledTime() time.Duration { return time.Duration(g.Workers[0].sampledNs) }

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
	Devices []*Group // the workers of each of several devices; else nil
	sum     recorder // of all ping-pongs together; empty if there is one, and for streams
}

// Flows returns the flows of all workers in their order.
func (g *Group) Flows() (all []*Flow) {
	for _, w := range g.Workers {
		all = append(all, w.flows...)
	}
	return all
}

// Share returns the part of the QPs of a mode that the group has: 1, or less for one of several devices.
func (g *Group) Share() float64 {
	return float64(len(g.Flows())) / float64(len(g.Workers[0].group.Flows()))
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

// Rate returns the rate of all workers together, by this side's clock. That of a ping-pong has the times of all messages one
// after another, also if several workers sent them at the same time.
func (g *Group) Rate() *stats.Rate {
	if g.sum.rate == nil {
		return g.concurrent(func(w *Worker) *stats.Rate { return w.rate })
	}
	g.sum.rate.Reset()
	for _, w := range g.Workers {
		g.sum.rate.Merge(w.rate)
	}
	return g.sum.rate
}

// ReverseRate returns the rate, by this side's clock, of the direction that the peer measures.
func (g *Group) ReverseRate() *stats.Rate {
	return g.concurrent(func(w *Worker) *stats.Rate { return w.reverseRate })
}

// concurrent returns the sum of the workers' rates.
func (g *Group) concurrent(rateOf func(*Worker) *stats.Rate) *stats.Rate {
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

// Samples returns the samples of all ping-pongs or open loops.
func (g *Group) Samples() *stats.Samples {
	return g.merged(g.sum.samples, func(w *Worker) *stats.Samples { return w.samples })
}

// ServiceTimes returns the times of an open loop from the post of a message to its answer.
func (g *Group) ServiceTimes() *stats.Samples {
	return g.merged(g.sum.serviceTimes, func(w *Worker) *stats.Samples { return w.serviceTimes })
}

// merged returns the samples of all workers. They are those of a single worker, else they are merged into sum.
func (g *Group) merged(sum *stats.Samples, samplesOf func(*Worker) *stats.Samples) *stats.Samples {
	if len(g.Workers) == 1 {
		return samplesOf(g.Workers[0])
	}
	sum.Reset()
	for _, w := range g.Workers {
		sum.Merge(samplesOf(w))
	}
	return sum
}

// Kept returns the first samples of each worker in their order, those of one worker after those of another.
func (g *Group) Kept() (all []int64) {
	for _, w := range g.Workers {
		all = append(all, w.samples.Kept()...)
	}
	return all
}

// Load returns how open loops kept their schedules together.
func (g *Group) Load() (all Load) {
	for _, w := range g.Workers {
		all.Backlog += w.load.Backlog
		all.Growing = all.Growing || w.load.Growing
	}
	return all
}

// SampledTime returns the time from the beginning of the first sample of a ping-pong to the end of the last one, pauses
// included.
func (g *Group) SampledTime() time.Duration {
	var all span
	for _, w := range g.Workers {
		switch one := w.sampled; {
		case one == span{}: // interrupted before the first sample
		case all == span{}:
			all = one
		default:
			all = span{min(all.begin, one.begin), max(all.end, one.end)}
		}
	}
	return time.Duration(all.end - all.begin)
}

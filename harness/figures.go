package harness

import (
	"github.com/ibperf/ibperf/internal/message"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/reports/result"
)

// result returns what this side measured in a round.
func (g *group) result() oob.Round {
	var r oob.Round
	for _, w := range g.workers {
		r.CPUNs += w.meter.cpu
		r.WallNs += w.meter.wall
		r.Sleeps += uint64(max(w.meter.sleeps, 0))
		r.Preempted += uint64(max(w.meter.preempted, 0))
		r.CPU = w.place
		if d := w.clock.Drift(); d*d > r.Drift*r.Drift {
			r.Drift = d
		}
	}
	first := g.workers[0]
	if first.scheme.lossy {
		for _, w := range g.workers {
			sent, came := w.counts()
			r.Sent, r.Came = r.Sent+sent, r.Came+came
		}
	}
	if first.scheme.measured.has(first.rig.cfg.Role) {
		r.Figure = g.figure()
		r.Begin, r.End = g.rate().Span()
	}
	if first.scheme.verify {
		r.Verify = g.verified()
	}
	return r
}

// figure is the round as this side's clock saw it. One that was too short to see anything
// is there all the same, so that the rounds of all ways go by the same numbers.
func (g *group) figure() *result.Round {
	w := g.workers[0]
	s := w.scheme
	if s.exchange && !s.noClock {
		return &result.Round{Messages: w.samples.N(), Seconds: float64(w.lasted) / 1e9,
			P50Ns: w.samples.Median() * s.factor, MeanNs: w.samples.Mean() * s.factor}
	}
	b := g.rate().Bandwidth(s.size, s.at)
	r := &result.Round{Messages: b.Messages, Seconds: b.Seconds}
	if s.exchange && b.Messages > 0 {
		r.MeanNs = b.Seconds * 1e9 / float64(b.Messages) * s.factor
		return r
	}
	r.Average = b.Average
	return r
}

// verified adds up what the lanes found by checking in the round.
func (g *group) verified() *result.Verify {
	var v result.Verify
	for _, l := range g.lanes() {
		for _, check := range []*message.Checker{l.in.check, l.out.check} {
			if check == nil {
				continue
			}
			v.Add(check.Counts())
			check.Reset()
		}
		v.Add(l.out.atomics.counts)
		l.out.atomics.counts = result.Verify{}
	}
	return &v
}

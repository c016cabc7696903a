package harness

import (
	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/harness/internal/loop"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/result"
)

// roundResult returns what this side measured in a round, with the parts of several devices.
func (s *session) roundResult(g *loop.Group) oob.Round {
	var parts []oob.Round
	for _, d := range g.Devices {
		parts = append(parts, s.roundResult(d))
	}
	r := s.resultOf(g)
	r.Devices = parts
	if g.Test().Verify {
		r.Verify = verified(g, parts)
	}
	return r
}

// verified returns what --verify has found: that of all parts, or of a group without parts.
func verified(g *loop.Group, parts []oob.Round) *result.Verify {
	if len(parts) == 0 {
		return g.Verified()
	}
	var all result.Verify
	for _, p := range parts {
		all.Add(*p.Verify)
	}
	return &all
}

// resultOf returns what the workers of a group measured in a round.
func (s *session) resultOf(g *loop.Group) oob.Round {
	var r oob.Round
	c := g.Test()
	for _, w := range g.Workers {
		used, drift := w.Cost()
		r.CPUNs += used.CPU
		r.WallNs += used.Wall
		r.Sleeps += uint64(max(used.Sleeps, 0))
		r.Preempted += uint64(max(used.Preempted, 0))
		r.CPUs = append(r.CPUs, w.CPU)
		r.Nodes = addNew(r.Nodes, s.nodesOf(w.CPU))
		if drift*drift > r.Drift*r.Drift {
			r.Drift = drift
		}
		if c.Lossy {
			sent, arrived := w.Counts()
			r.Sent, r.Received = r.Sent+sent, r.Received+arrived
		}
	}
	if r.CPU = affinity.NoCPU; len(r.CPUs) == 1 {
		r.CPU, r.CPUs = r.CPUs[0], nil
	}
	if c.Measured.Has(s.cfg.Role) {
		r.Figure = figureOf(g, s.cfg.File.Local.ClockStepNs)
		r.Begin, r.End = g.Rate().Span()
	}
	return r
}

// figureOf returns the round by this side's clock. A round that was too short to measure anything has a
// figure too, so that the rounds of all modes have the same numbers.
func figureOf(g *loop.Group, clockStepNs float64) *result.Round {
	c := g.Test()
	if c.PingPong && !c.NoClock {
		samples := g.Samples()
		return &result.Round{Messages: samples.N(), Seconds: g.SampledTime().Seconds(),
			P50Ns: samples.Median(clockStepNs) * c.Factor, P90Ns: samples.Percentile(90) * c.Factor, P99Ns: samples.Percentile(99) * c.Factor,
			MeanNs: samples.Mean() * c.Factor}
	}
	b := g.Rate().Bandwidth(c.Size, c.MeasuredAt)
	r := &result.Round{Messages: b.Messages, Seconds: b.Seconds}
	if c.PingPong && b.Messages > 0 { // b has the time of all messages one after another
		r.Seconds, r.MeanNs = g.SampledTime().Seconds(), b.Seconds*1e9/float64(b.Messages)*c.Factor
		return r
	}
	r.Average = b.Average
	return r
}

package harness

import (
	"fmt"
	"math"

	"github.com/ibperf/ibperf/reports/result"
)

// runWarnings are about all rows of a run.
func runWarnings(p *Plan, g gate, mine, theirs result.Side) []result.Warning {
	var w []result.Warning
	for _, s := range []struct {
		name string
		side result.Side
	}{{"this side", mine}, {"the peer", theirs}} {
		if sw := s.side.Device.Software; sw != "" {
			w = append(w, result.Warning{ID: "software-device", Text: fmt.Sprintf("%s uses %s: %s", s.name, s.side.Device.Name, sw)})
		}
	}
	w = append(w, g.notes...)
	if p.Verify {
		w = append(w, result.Warning{ID: "verify", Text: "times and rates include writing and checking every byte (--verify)"})
	}
	return w
}

// Samples that a percentile should rest on: ten beyond it.
const (
	samplesP999  = 10_000
	samplesP9999 = 100_000
)

// rowWarnings are about one row.
func rowWarnings(p *Plan, r *result.Row) []result.Warning {
	var w []result.Warning
	switch l := r.Latency; {
	case l == nil || l.MeanOnly || l.N >= samplesP9999:
	case l.N >= samplesP999:
		w = append(w, result.Warning{ID: "few-samples", Text: "under 100,000 samples are few for the 99.99 % percentile"})
	default:
		w = append(w, result.Warning{ID: "few-samples", Text: "under 10,000 samples are few for the 99.9 % and 99.99 % percentiles"})
	}
	if b := r.Bandwidth; b != nil && b.Seconds < 0.01 {
		w = append(w, result.Warning{ID: "short-run", Text: "measured over less than 10 ms; use -n or -D for a longer run"})
	}
	if Mode(r.Mode) == ModeEvent && r.Local.Sleeps+r.Peer.Sleeps == 0 {
		w = append(w, result.Warning{ID: "never-slept", Text: "mode event never slept: completions were always there before, so this is not the cost of events"})
	}
	for _, side := range []struct {
		name string
		cost result.Cost
	}{{"this side", r.Local}, {"the peer", r.Peer}} {
		if crowded(side.cost, rowMessages(r)) {
			w = append(w, result.Warning{ID: "preempted", Text: "on " + side.name + " other work took the CPU from the measuring thread more than once in 100 ms: use an idle CPU (taskset -c)"})
		}
	}
	if v := r.Verify; v != nil && v.Bad() > 0 {
		w = append(w, result.Warning{ID: "wrong-data", Text: fmt.Sprintf("%d of %d messages were not as sent", v.Bad(), v.Messages)})
	}
	return w
}

// mostDrift is the drift of a clock, in millionths, that is no work of NTP's.
const mostDrift = 1000

// driftWarnings are about the clocks of both sides.
func driftWarnings(mine, theirs float64) []result.Warning {
	var w []result.Warning
	for _, side := range []struct {
		name  string
		drift float64
	}{{"this side", mine}, {"the peer", theirs}} {
		if math.Abs(side.drift) > mostDrift {
			w = append(w, result.Warning{ID: "clock-drift", Text: fmt.Sprintf(
				"on %s the TSC and CLOCK_MONOTONIC came apart by %+.2f %% while it was measured: times and rates may be wrong by that", side.name, side.drift/1e4)})
		}
	}
	return w
}

// crowded tells whether the measuring thread lost its CPU more than once in
// 100 ms of its CPU time; once in a short measurement is no sign.
func crowded(c result.Cost, messages uint64) bool {
	used := c.CPUNs * float64(messages) // ns
	return float64(c.Preempted) > 1+used/100e6
}

// rowMessages is how many messages a row's costs were divided by.
func rowMessages(r *result.Row) uint64 {
	switch {
	case r.Latency != nil:
		return r.Latency.N
	case r.Bandwidth != nil:
		return r.Bandwidth.Messages
	}
	return 0
}

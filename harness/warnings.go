package harness

import (
	"fmt"
	"math"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// runWarnings are about all rows of a run.
func runWarnings(p *option.Plan, g gate, mine, theirs result.Side) []result.Warning {
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

// fewSleeps is how often a message must have been slept for, on average, to count as what
// the mode is about.
const fewSleeps = 0.9

// spinning tells which sides have no pauses.
type spinning struct{ here, peer bool }

// rowWarnings are about one row.
func rowWarnings(s *scheme, r *result.Row, spins spinning) []result.Warning {
	var w []result.Warning
	warn := func(id, format string, args ...any) {
		w = append(w, result.Warning{ID: id, Text: fmt.Sprintf(format, args...)})
	}
	switch l := r.Latency; {
	case l == nil || l.MeanOnly || l.N >= samplesP9999:
	case l.N >= samplesP999:
		warn("few-samples", "under 100,000 samples are few for the 99.99 %% percentile")
	default:
		warn("few-samples", "under 10,000 samples are few for the 99.9 %% and 99.99 %% percentiles")
	}
	if b := r.Bandwidth; b != nil && b.Seconds < 0.01 {
		warn("short-run", "measured over less than 10 ms; use -n or -D for a longer run")
	}
	w = append(w, directionWarnings(r)...)
	switch per := max(r.Local.SleepsPerMessage, r.Peer.SleepsPerMessage); {
	case !s.sleeps:
	case per == 0:
		warn("no-sleeps", "mode event: %s", neverSlept)
	case per < fewSleeps:
		warn("few-sleeps", "mode event slept for fewer than 9 of 10 messages, see the wake-ups: the others were there before anybody slept")
	}
	for _, side := range []struct {
		name  string
		cost  result.Cost
		spins bool
	}{{"this side", r.Local, spins.here}, {"the peer", r.Peer, spins.peer}} {
		if side.spins && !s.sleeps && side.cost.Busy > 0 && side.cost.Busy < mostlyBusy {
			warn("preempted", "on %s the spinning thread had its CPU for under 95 %% of the time: other work took it", side.name)
		}
	}
	w = append(w, lossWarnings(s, r)...)
	if v := r.Verify; v != nil && v.Bad() > 0 {
		warn("wrong-data", "%d of %d messages were not as sent", v.Bad(), v.Messages)
	}
	return w
}

// receiveWarnings say where fewer receives are posted than are asked for: who looks at each
// message lets no more of them come than the ring holds.
func receiveWarnings(s *scheme, p *option.Plan) []result.Warning {
	want := rxDepth(p)
	if !s.receives || !s.seen || p.RxDepth == option.Defaults(p.Test).RxDepth || s.recvs >= want {
		return nil
	}
	return []result.Warning{{ID: "fewer-receives", Text: fmt.Sprintf(
		"--rx-depth: a QP had %d receives posted and not %d, since no more messages are on their way where the receiver looks at each", s.recvs, want)}}
}

// lossWarnings are about what a transport loses.
func lossWarnings(s *scheme, r *result.Row) (w []result.Warning) {
	switch d := r.Delivery; {
	case !s.lossy:
		return nil
	case d == nil:
		return []result.Warning{{ID: "sender-rate", Text: "the rate is the sender's: nobody counts the WRITEs that arrive, and those that were lost are not known"}}
	case d.Lost > 0:
		w = append(w, result.Warning{ID: "lost", Text: fmt.Sprintf("%d of %d messages were lost", d.Lost, d.Sent)})
	}
	if !s.exchange && !s.seen {
		w = append(w, result.Warning{ID: "sender-rate", Text: "the rate is the sender's, and not that of what arrived"})
	}
	return w
}

// mostlyBusy is the part of its time that a thread which spins has its CPU, if nothing
// that matters takes it.
const mostlyBusy = 0.95

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

// rowMessages is how many messages a row's costs are divided by.
func rowMessages(r *result.Row) uint64 {
	switch {
	case r.Latency != nil:
		return r.Latency.N
	case r.Bandwidth != nil:
		return r.Bandwidth.Messages
	}
	return 0
}

// noRatio tells why rows cannot be compared, "" if they can: where what is fetched is there
// when the post returns, the modes show no difference.
func (s *session) noRatio() string {
	switch {
	case !s.synchronous:
		return ""
	case s.scheme(0, 0).atomic:
		return "atomic operations were done when the post returned, so no mode waits for anything"
	}
	return "READs were done when the post returned, so no mode waits for anything"
}

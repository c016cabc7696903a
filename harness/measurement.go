package harness

import (
	"fmt"
	"math"
	"time"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/internal/stats"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// measurement is one row in the making: one message size in one mode.
type measurement struct {
	plan   *Plan
	rig    *rig
	halt   *halt
	size   int
	mode   Mode
	order  verbs.Order
	opcode verbs.Opcode
	warmup uint64
	total  uint64 // warm-up and measured messages of each lane; in a timed run unbounded

	send waiter // for completions of sends and reads
	recv waiter // for completions of receives

	clock    *clock.Clock
	samples  *stats.Samples
	rate     *stats.Rate
	at       string // where the rate is measured
	cpu      cpuMeter
	visit    uint64      // messages of a lane that the receiver takes at a time
	deadline *time.Timer // for the last messages
	result   sideResult
}

// sideResult is what a side knows of a measurement, for its peer.
type sideResult struct {
	Latency   *result.Latency   `json:"latency,omitempty"`
	Bandwidth *result.Bandwidth `json:"bandwidth,omitempty"`
	Cost      result.Cost       `json:"cost"`
	Verify    *result.Verify    `json:"verify,omitempty"`
	Drift     float64           `json:"clock_drift"` // of its clock, in millionths
}

const (
	warmupMessages = 1000
	warmupBytes    = 64 << 20
)

// warmupFor returns how many messages go before the clock starts: a tenth of
// what is measured, within bounds that keep large messages short. A bandwidth test
// needs no more than once around the ring, after which it has used all that it uses.
func warmupFor(p *Plan, size int) uint64 {
	n := uint64(warmupMessages)
	if p.Kind == result.KindBandwidth {
		n = min(n, uint64(slots(p, size)))
	}
	if p.Duration == 0 {
		n = min(n, p.Iterations/10)
	}
	return max(1, min(n, uint64(warmupBytes/size)))
}

func newMeasurement(s *session, size int, mode Mode) *measurement {
	p := &s.cfg.Plan
	m := &measurement{
		plan: p, rig: s.rig, halt: s.halt, size: size, mode: mode,
		order: s.gate.order, opcode: opcode(p, mode), warmup: warmupFor(p, size),
		clock: clock.New(), samples: s.samples, rate: s.rate, at: "sender",
	}
	m.total = m.warmup + p.Iterations
	if p.Duration > 0 {
		m.total = math.MaxUint64
	}
	switch {
	case p.Op == OpRead:
		m.at = "requester"
	case mode == ModeData:
		m.at = "receiver"
	}
	m.send = waiter{cq: s.rig.sendCQ, m: m, wc: s.sendWCs}
	m.recv = waiter{cq: s.rig.recvCQ, m: m, wc: s.recvWCs}
	return m
}

// depth is how many messages a lane may have on their way.
func (m *measurement) depth(slots int) uint64 {
	d := uint64(max(m.plan.txDepth(), 1))
	if m.plan.Kind == result.KindLatency {
		d = uint64(slots)
	}
	if m.paced() {
		d = min(d, uint64(slots))
	}
	return d
}

// paced tells whether a slot must be consumed before it is used again, which
// the receiver grants by credits and the reader sees by itself.
func (m *measurement) paced() bool { return m.mode == ModeData || m.plan.Verify }

// spread is how many of a ring's slots messages are in.
func (m *measurement) spread(slots int) int {
	if m.paced() || m.plan.Kind == result.KindLatency {
		return slots
	}
	return pageful(m.plan, m.size)
}

// every is the distance of signaled requests: perftest's CQ moderation for
// bandwidth, and for latency what lets half a ring be on its way.
func (m *measurement) every(slots int) uint64 {
	if m.plan.Kind == result.KindLatency {
		if m.plan.Op == OpRead && m.mode != ModeData {
			return 1
		}
		return uint64(max(1, slots/2))
	}
	return max(1, min(uint64(m.plan.moderation(m.size)), m.depth(slots)))
}

// noDeadline is the end of a counted measurement.
const noDeadline = math.MaxInt64

// until returns when a timed measurement that starts now ends.
func (m *measurement) until(now int64) int64 {
	if m.plan.Duration == 0 {
		return noDeadline
	}
	return now + int64(m.plan.Duration/time.Nanosecond)
}

// Messages or bytes after which a timed measurement without peak looks for its end.
const (
	edgeMessages = 1024
	edgeBytes    = 64 << 20
)

// edge is how many messages a sender lets pass between two looks at the clock.
func (m *measurement) edge() uint64 {
	switch {
	case !m.plan.NoPeak:
		return 1
	case m.plan.Duration == 0:
		return math.MaxUint64
	}
	return uint64(max(1, min(edgeMessages, edgeBytes/m.size)))
}

// bandwidth returns the rates, without a peak where only begin and end are known.
func (m *measurement) bandwidth(at string) *result.Bandwidth {
	b := m.rate.Bandwidth(m.size, at)
	if m.plan.NoPeak {
		b.Peak = 0
	}
	return b
}

// collect adds up what the lanes found by verifying.
func (m *measurement) collect() {
	if !m.plan.Verify {
		return
	}
	var v result.Verify
	for _, l := range m.rig.lanes {
		c := l.check.Counts()
		v.Messages += c.Messages
		v.Torn += c.Torn
		v.Stale += c.Stale
		v.Duplicates += c.Duplicates
		if v.First == "" {
			v.First = c.First
		}
	}
	m.result.Verify = &v
}

// row puts the two sides' results together, as this side prints them.
func (m *measurement) row(theirs sideResult, forced bool) result.Row {
	mine := m.result
	r := result.Row{
		Size: m.size, Mode: string(m.mode), Forced: forced && m.mode == ModeData, Opcode: m.opcode.String(),
		Latency: mine.Latency, Bandwidth: mine.Bandwidth, Local: mine.Cost, Peer: theirs.Cost,
	}
	if r.Latency == nil {
		r.Latency = theirs.Latency
	}
	if r.Bandwidth == nil {
		r.Bandwidth = theirs.Bandwidth
	}
	if p := m.plan; p.Kind == result.KindBandwidth {
		r.CQMod = int(m.every(slots(p, m.size)))
	}
	if m.plan.Verify {
		r.Verify = sumVerify(mine.Verify, theirs.Verify)
	}
	r.Warnings = append(rowWarnings(m.plan, &r), driftWarnings(mine.Drift, theirs.Drift)...)
	return r
}

func sumVerify(mine, theirs *result.Verify) *result.Verify {
	var v result.Verify
	for i, w := range []*result.Verify{mine, theirs} {
		if w == nil {
			continue
		}
		v.Messages += w.Messages
		v.Torn += w.Torn
		v.Stale += w.Stale
		v.Duplicates += w.Duplicates
		if v.First == "" && w.First != "" {
			v.First = fmt.Sprintf("on %s: %s", [...]string{"this side", "the peer"}[i], w.First)
		}
	}
	return &v
}

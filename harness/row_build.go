package harness

import (
	"time"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// build builds the row from both sides' statistics.
func (rb *rowBuilder) build(p *option.Plan, forced bool, mine, theirs oob.Row) result.Row {
	c := rb.test
	r := result.Row{
		Size: c.Size, Mode: c.Mode.Completion, Variant: c.Mode.Variant, Forced: c.PollsMemory && (forced || c.ByFlag), Opcode: c.Requests(),
		Touch: c.Touch, Slots: c.Slots, Span: c.SpanIn, Depth: int(c.Depth), CQMod: int(c.SignalEvery), Relaxed: c.Relaxed, Reorder: c.OutOfOrder,
		WarmupS: rb.warmUp(p).Seconds(), NoRatio: rb.noRatio, Rounds: rb.rounds, Latency: mine.Latency, Bandwidth: mine.Bandwidth,
	}
	if r.Load = mine.Load; r.Latency == nil {
		r.Latency, r.Load = theirs.Latency, theirs.Load
	}
	leaveOutPercentiles(&r)
	if r.Bandwidth == nil {
		r.Bandwidth = theirs.Bandwidth
	}
	if c.Bidirectional() {
		rb.sumDirections(&r, theirs)
	}
	if r.Latency != nil {
		r.Latency.Rate = rb.iterationsPerSecond()
		setServiceRate(&r)
	}
	n := rowMessages(&r)
	r.Local, r.Peer = rb.here.cost(n), rb.there.cost(n)
	rb.counted.addTo(&r.Local)
	if mine.Latency != nil {
		r.Samples = rb.keptNs()
	}
	if p.Verify {
		r.Verify = rb.verified()
	}
	if c.Lossy && c.Receivers != (testcase.Sides{}) {
		rb.setDelivery(&r)
	}
	r.Warnings = receiveWarnings(c)
	r.Warnings = append(r.Warnings, rowWarnings(c, &r, spinningOf(p, rb.role))...)
	r.Warnings = append(r.Warnings, rateWarnings(c, p, &r)...)
	r.Warnings = append(r.Warnings, loadWarnings(p, &r)...)
	r.Warnings = append(r.Warnings, driftWarnings(rb.here.drift, rb.there.drift)...)
	rb.setDevices(&r, p, forced, mine, theirs)
	return r
}

// setDevices sets the rows of several devices, if each has measured.
func (rb *rowBuilder) setDevices(r *result.Row, p *option.Plan, forced bool, mine, theirs oob.Row) {
	var all []result.DeviceRow
	for i, d := range rb.devices {
		one := d.build(p, forced, mine.Devices[i], theirs.Devices[i])
		if !one.Measured(p.Kind) {
			return
		}
		all = append(all, result.DeviceRowOf(&one))
	}
	r.Devices = all
	r.Warnings = append(r.Warnings, overlapWarnings(r)...)
}

// warmUp returns the time of the warm-up before the row.
func (rb *rowBuilder) warmUp(p *option.Plan) time.Duration {
	if rb.test.Exact {
		return 0
	}
	return max(warmUp, p.Margin)
}

// check adds the findings of both sides' checks of every byte, warm-ups included.
func (rb *rowBuilder) check(mine, theirs oob.Round) {
	for i, d := range rb.devices {
		if i < len(mine.Devices) && i < len(theirs.Devices) {
			d.check(mine.Devices[i], theirs.Devices[i])
		}
	}
	rb.checked = rb.checked || theirs.Verify != nil
	for i, v := range []*result.Verify{mine.Verify, theirs.Verify} {
		if v != nil {
			rb.verify[i].Add(*v)
		}
	}
}

// verified returns the findings of both sides together.
func (rb *rowBuilder) verified() *result.Verify {
	var v result.Verify
	for i, side := range []string{"this side", "the peer"} {
		found := rb.verify[i]
		if found.First != "" {
			found.First = "on " + side + ": " + found.First
		}
		v.Add(found)
	}
	return &v
}

// rowMessages returns the number of messages by which the costs of a row are divided.
func rowMessages(r *result.Row) uint64 {
	switch {
	case r.Latency != nil:
		return r.Latency.N
	case r.Bandwidth != nil:
		return r.Bandwidth.Messages
	}
	return 0
}

package harness

import (
	"time"

	"github.com/ibperf/ibperf/harness/internal/loop"
	"github.com/ibperf/ibperf/harness/internal/stats"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// rowKey identifies an unfinished row by the indexes of its size and mode.
type rowKey struct{ size, mode int }

// rowBuilder collects the rounds of a row.
type rowBuilder struct {
	test          *testcase.Case
	noRatio       string
	kept          []int64        // the first samples
	counted       counterGrowth  // growth of the counters and of the CPU time of the machine
	samples       *stats.Samples // nil if this side measures no latency
	rate          *stats.Rate    // nil if this side measures no rate
	load          loadBuilder    // of a latency test with a rate
	rounds        []result.Round
	here          sideCost
	there         sideCost
	alignedWithin time.Duration    // error of the alignment of both clocks, if the row is bidirectional
	outward       traffic          // messages to the peer, over lossy transports
	inward        traffic          // messages from the peer, over lossy transports
	verify        [2]result.Verify // this side's and the peer's, warm-up included
	checked       bool             // the peer has checked data too
	broken        bool             // a round was interrupted
	role          Role             // of this side
	keep          int              // largest number of samples to keep
	placements    [][2]int         // different pairs of CPUs that the threads of both sides were on
}

func newRowBuilder(cfg *Config, c *testcase.Case, noRatio string) *rowBuilder {
	return &rowBuilder{test: c, noRatio: noRatio, role: cfg.Role, keep: cfg.KeepSamples}
}

// add adds the measurements of both sides in a round. If the round was interrupted, only those of this
// side are known.
func (rb *rowBuilder) add(run int, g *loop.Group, mine, theirs oob.Round, figure *result.Round, within time.Duration, whole bool) {
	rb.here.add(mine)
	rb.there.add(theirs)
	rb.addPlacement(mine, theirs)
	rb.outward.add(mine.Sent, theirs.Received)
	rb.inward.add(theirs.Sent, mine.Received)
	rb.merge(g, whole)
	rb.broken = rb.broken || !whole
	if figure == nil {
		return
	}
	figure.Run, figure.Ended = run, time.Now().UTC().Truncate(time.Millisecond)
	rb.alignedWithin = max(rb.alignedWithin, within)
	rb.rounds = append(rb.rounds, *figure)
}

// figures returns, round by round, the values from which ratios are computed and the number of the run.
func (rb *rowBuilder) figures() (values []float64, runs []int) {
	for i := range rb.rounds {
		values = append(values, ratioValue(&rb.rounds[i]))
		runs = append(runs, rb.rounds[i].Run)
	}
	return values, runs
}

// ratioValue returns the value of a round from which ratios are computed.
func ratioValue(r *result.Round) float64 {
	switch {
	case r.P50Ns > 0:
		return r.P50Ns
	case r.MeanNs > 0:
		return r.MeanNs
	}
	return r.Average
}

// merge adds the recordings of this side's workers. An interrupted round has this side's rate even
// if the peer's clock counts, because the peer's result will not arrive.
func (rb *rowBuilder) merge(g *loop.Group, whole bool) {
	if rb.test.Bidirectional() && !whole {
		return // the sum of both directions is not known
	}
	c := rb.test
	counts := c.Measured.Has(rb.role)
	switch {
	case c.PingPong && counts && !c.NoClock:
		if rb.samples == nil {
			rb.samples = stats.NewSamples()
		}
		rb.samples.Merge(g.Samples())
		rb.keepSamples(g.Kept())
		if c.OpenLoop {
			rb.load.add(g)
		}
	case counts:
		rb.mergeRate(g.Rate())
	case !whole && rb.rate == nil && len(rb.rounds) == 0 && c.Senders.Has(rb.role) && !c.PingPong:
		rb.mergeRate(g.ReverseRate())
	}
}

// keepSamples adds the samples that a round has kept, up to the number that the row keeps.
func (rb *rowBuilder) keepSamples(kept []int64) {
	rb.kept = append(rb.kept, kept[:min(len(kept), rb.keep-len(rb.kept))]...)
}

// keptNs returns the kept samples as latencies.
func (rb *rowBuilder) keptNs() (all []float64) {
	for _, ns := range rb.kept {
		all = append(all, float64(ns)*rb.test.Factor)
	}
	return all
}

func (rb *rowBuilder) mergeRate(r *stats.Rate) {
	if rb.rate == nil {
		rb.rate = stats.NewRate()
	}
	rb.rate.Merge(r)
}

// statistics returns this side's statistics of all rounds.
func (rb *rowBuilder) statistics() oob.Row {
	var r oob.Row
	switch {
	case rb.samples != nil:
		r.Latency, r.Load = rb.samples.Latency(rb.test.Factor), rb.load.load(rb.test)
		if r.Load != nil && r.Load.Growing {
			r.Latency = withoutPercentiles(r.Latency)
		}
	case rb.rate == nil:
	case rb.test.PingPong:
		r.Latency = rb.rate.Latency(rb.test.Factor)
	default:
		r.Bandwidth = rb.rate.Bandwidth(rb.test.Size, rb.measuredAt())
		if rb.test.NoClock {
			r.Bandwidth.Slowest, r.Bandwidth.MedianWindow, r.Bandwidth.Peak, r.Bandwidth.WindowS = 0, 0, 0, 0
		}
	}
	return r
}

// buildAlone builds the row from the measurements of this side only.
func (rb *rowBuilder) buildAlone(p *option.Plan, forced bool) result.Row {
	r := rb.build(p, forced, rb.statistics(), rb.fromRounds())
	r.FromClient, r.FromServer = nil, nil // the peer's direction is not known
	return r
}

// fromRounds computes statistics from the figures of the rounds. It replaces the statistics of the side
// whose clock counts if they will not arrive.
func (rb *rowBuilder) fromRounds() oob.Row {
	var n uint64
	var seconds, mean float64
	for _, r := range rb.rounds {
		n += r.Messages
		seconds += r.Seconds
		mean += r.MeanNs * float64(r.Messages)
	}
	switch {
	case n == 0:
		return oob.Row{}
	case rb.test.PingPong:
		return oob.Row{Latency: &result.Latency{N: n, MeanNs: mean / float64(n), Factor: rb.test.Factor, MeanOnly: true}}
	}
	b := &result.Bandwidth{Messages: n, Bytes: n * uint64(rb.test.Size), Seconds: seconds, MeasuredAt: rb.test.MeasuredAt}
	if seconds > 0 {
		b.MsgRate = float64(n) / seconds
		b.Average = b.MsgRate * float64(rb.test.Size)
	}
	return oob.Row{Bandwidth: b}
}

// iterationsPerSecond returns the round trips of all rounds divided by their time.
func (rb *rowBuilder) iterationsPerSecond() float64 {
	var n, seconds float64
	for _, r := range rb.rounds {
		n += float64(r.Messages)
		seconds += r.Seconds
	}
	if seconds == 0 {
		return 0
	}
	return n / seconds
}

// measuredAt returns the side of the stream at which the rate was measured.
func (rb *rowBuilder) measuredAt() string {
	if rb.broken && len(rb.rounds) == 0 {
		return "sender"
	}
	return rb.test.MeasuredAt
}

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
	if r.Load != nil && r.Load.Growing {
		r.NoRatio = loadTooHigh
	}
	if r.Bandwidth == nil {
		r.Bandwidth = theirs.Bandwidth
	}
	if c.Bidirectional() {
		rb.sumDirections(&r, theirs)
	}
	if r.Latency != nil {
		r.Latency.Rate = rb.iterationsPerSecond()
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
	return r
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

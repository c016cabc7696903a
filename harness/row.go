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
	devices       []*rowBuilder    // of each of several devices
}

func newRowBuilder(cfg *Config, c *testcase.Case, noRatio string) *rowBuilder {
	rb := &rowBuilder{test: c, noRatio: noRatio, role: cfg.Role, keep: cfg.KeepSamples}
	if len(cfg.Devices) > 1 {
		for range cfg.Devices {
			rb.devices = append(rb.devices, &rowBuilder{test: c, role: cfg.Role})
		}
	}
	return rb
}

// add adds the measurements of both sides in a round. If the round was interrupted, only those of this
// side are known.
func (rb *rowBuilder) add(run int, m *measurement, within time.Duration, whole bool) {
	for i, d := range rb.devices {
		d.add(run, &m.devices[i], within, whole)
	}
	rb.here.add(m.mine)
	rb.there.add(m.theirs)
	rb.addPlacement(m.mine, m.theirs)
	rb.outward.add(m.mine.Sent, m.theirs.Received)
	rb.inward.add(m.theirs.Sent, m.mine.Received)
	rb.merge(m.group, whole)
	rb.broken = rb.broken || !whole
	if m.figure == nil {
		return
	}
	figure := *m.figure
	figure.Run, figure.Ended = run, time.Now().UTC().Truncate(time.Millisecond)
	rb.alignedWithin = max(rb.alignedWithin, within)
	rb.rounds = append(rb.rounds, figure)
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
func (rb *rowBuilder) statistics() (r oob.Row) {
	for _, d := range rb.devices {
		r.Devices = append(r.Devices, d.statistics())
	}
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
func (rb *rowBuilder) fromRounds() (row oob.Row) {
	for _, d := range rb.devices {
		row.Devices = append(row.Devices, d.fromRounds())
	}
	var n uint64
	var seconds, mean float64
	for _, r := range rb.rounds {
		n += r.Messages
		seconds += r.Seconds
		mean += r.MeanNs * float64(r.Messages)
	}
	switch {
	case n == 0:
		return row
	case rb.test.PingPong:
		row.Latency = &result.Latency{N: n, MeanNs: mean / float64(n), Factor: rb.test.Factor, MeanOnly: true}
		return row
	}
	b := &result.Bandwidth{Messages: n, Bytes: n * uint64(rb.test.Size), Seconds: seconds, MeasuredAt: rb.test.MeasuredAt}
	if seconds > 0 {
		b.MsgRate = float64(n) / seconds
		b.Average = b.MsgRate * float64(rb.test.Size)
	}
	row.Bandwidth = b
	return row
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

package harness

import (
	"slices"
	"time"

	"github.com/ibperf/ibperf/internal/stats"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// rowKey names a row in the making: the index of its size and that of its way.
type rowKey struct{ size, way int }

// tally adds the rounds of a row up.
type tally struct {
	scheme  *scheme
	noRatio string
	kept    []int64        // samples in their order
	counted counted        // what counters and the machine's CPUs did
	samples *stats.Samples // nil where this side measures no latency
	rate    *stats.Rate    // nil where this side measures no rate
	rounds  []result.Round
	here    use
	there   use
	within  time.Duration    // that both sides' clocks were aligned to, where that counts
	outward traffic          // messages to the peer, where they may be lost
	inward  traffic          // and from it
	verify  [2]result.Verify // this side's and the peer's, warm-up included
	checked bool             // by the peer too
	broken  bool
	role    Role // this side's
}

// mostCPUs bounds how many CPUs of a peer's thread are noted.
const mostCPUs = 1024

// spent is what a side's rounds cost.
type spent struct {
	cpu, wall         int64 // ns
	sleeps, preempted int64
	drift             float64 // the largest
}

// use is what all rounds of a side cost, and where its thread was.
type use struct {
	spent
	cpus []int // that the thread was on
}

func (c *use) add(r oob.Round) {
	c.cpu += r.CPUNs
	c.wall += r.WallNs
	c.sleeps += int64(r.Sleeps)
	c.preempted += int64(r.Preempted)
	if r.CPU >= 0 && r.WallNs > 0 && !slices.Contains(c.cpus, r.CPU) && len(c.cpus) < mostCPUs {
		c.cpus = append(c.cpus, r.CPU)
	}
	if r.Drift*r.Drift > c.drift*c.drift {
		c.drift = r.Drift
	}
}

func (c *use) cost(messages uint64) result.Cost {
	r := result.Cost{Sleeps: uint64(c.sleeps), Preempted: uint64(c.preempted), CPUs: c.cpus}
	if c.wall > 0 {
		r.PreemptedPerS = float64(c.preempted) / (float64(c.wall) / 1e9)
		r.Busy = min(1, float64(c.cpu)/float64(c.wall))
	}
	if messages > 0 {
		r.CPUNs = float64(c.cpu) / float64(messages)
		r.SleepsPerMessage = float64(c.sleeps) / float64(messages)
	}
	return r
}

func newTally(s *scheme, noRatio string) *tally { return &tally{scheme: s, noRatio: noRatio} }

// add takes what both sides measured in a round. Of one that was broken off only this
// side's part is known.
func (t *tally) add(run int, g *group, mine, theirs oob.Round, figure *result.Round, within time.Duration, whole bool) {
	t.here.add(mine)
	t.there.add(theirs)
	t.outward.add(mine.Sent, theirs.Came)
	t.inward.add(theirs.Sent, mine.Came)
	t.role = g.workers[0].rig.cfg.Role
	t.merge(g, whole)
	t.broken = t.broken || !whole
	if figure == nil {
		return
	}
	figure.Run = run
	t.within = max(t.within, within)
	t.rounds = append(t.rounds, *figure)
}

// figures returns what ratios are made of, and the run of each, round by round.
func (t *tally) figures() (values []float64, runs []int) {
	for i := range t.rounds {
		values = append(values, figureOf(&t.rounds[i]))
		runs = append(runs, t.rounds[i].Run)
	}
	return values, runs
}

// figureOf is what a round's ratio is made of.
func figureOf(r *result.Round) float64 {
	switch {
	case r.P50Ns > 0:
		return r.P50Ns
	case r.MeanNs > 0:
		return r.MeanNs
	}
	return r.Average
}

// merge adds what this side's workers recorded. Where the peer's clock counts, a round
// that was broken off has this side's rate: the peer's will not come.
func (t *tally) merge(g *group, whole bool) {
	if t.scheme.bothWays() && !whole {
		return // its sum will not come
	}
	s, role := t.scheme, g.workers[0].rig.cfg.Role
	counts := s.measured.has(role)
	switch {
	case s.exchange && counts && !s.noClock:
		if t.samples == nil {
			t.samples = stats.NewSamples()
		}
		t.samples.Merge(g.workers[0].samples)
		t.keep(g.workers[0])
	case counts:
		t.mergeRate(g.rate())
	case !whole && t.rate == nil && len(t.rounds) == 0 && s.out.has(role) && !s.exchange:
		t.mergeRate(g.other())
	}
}

// keep adds the samples that a round has kept, as far as the row is to have them.
func (t *tally) keep(w *worker) {
	kept := w.samples.Kept()
	t.kept = append(t.kept, kept[:min(len(kept), w.rig.cfg.KeepSamples-len(t.kept))]...)
}

// keptNs are the kept samples as latencies.
func (t *tally) keptNs() (all []float64) {
	for _, ns := range t.kept {
		all = append(all, float64(ns)*t.scheme.factor)
	}
	return all
}

func (t *tally) mergeRate(r *stats.Rate) {
	if t.rate == nil {
		t.rate = stats.NewRate()
	}
	t.rate.Merge(r)
}

// rate is what the group's workers measured together, other what else they saw.
func (g *group) rate() *stats.Rate {
	return together(g, func(w *worker) *stats.Rate { return w.rate })
}

func (g *group) other() *stats.Rate {
	return together(g, func(w *worker) *stats.Rate { return w.other })
}

func together(g *group, of func(*worker) *stats.Rate) *stats.Rate {
	if len(g.workers) == 1 {
		return of(g.workers[0])
	}
	var all []*stats.Rate
	for _, w := range g.workers {
		all = append(all, of(w))
	}
	return stats.Together(all)
}

// row returns this side's statistics of all rounds.
func (t *tally) row() oob.Row {
	var r oob.Row
	switch {
	case t.samples != nil:
		r.Latency = t.samples.Latency(t.scheme.factor)
	case t.rate == nil:
	case t.scheme.exchange:
		r.Latency = t.rate.Latency(t.scheme.factor)
	default:
		r.Bandwidth = t.rate.Bandwidth(t.scheme.size, t.at())
		if t.scheme.noClock {
			r.Bandwidth.Slowest, r.Bandwidth.MedianWindow, r.Bandwidth.Peak, r.Bandwidth.WindowS = 0, 0, 0, 0
		}
	}
	return r
}

// byItself is the row as far as this side knows it.
func (t *tally) byItself(p *option.Plan, forced bool) result.Row {
	r := t.finished(p, forced, t.row(), t.known())
	r.FromClient, r.FromServer = nil, nil // the peer's direction is not known by itself
	return r
}

// known is the row as far as its rounds tell it: what a side has whose clock does not count
// when the other's statistics will not come.
func (t *tally) known() oob.Row {
	var n uint64
	var seconds, mean float64
	for _, r := range t.rounds {
		n += r.Messages
		seconds += r.Seconds
		mean += r.MeanNs * float64(r.Messages)
	}
	switch {
	case n == 0:
		return oob.Row{}
	case t.scheme.exchange:
		return oob.Row{Latency: &result.Latency{N: n, MeanNs: mean / float64(n), Factor: t.scheme.factor, MeanOnly: true}}
	}
	b := &result.Bandwidth{Messages: n, Bytes: n * uint64(t.scheme.size), Seconds: seconds, MeasuredAt: t.scheme.at}
	if seconds > 0 {
		b.MsgRate = float64(n) / seconds
		b.Average = b.MsgRate * float64(t.scheme.size)
	}
	return oob.Row{Bandwidth: b}
}

// iterationsPerSecond is what all rounds of a latency test have, over their time.
func (t *tally) iterationsPerSecond() float64 {
	var n, seconds float64
	for _, r := range t.rounds {
		n += float64(r.Messages)
		seconds += r.Seconds
	}
	if seconds == 0 {
		return 0
	}
	return n / seconds
}

// at is where the rate was measured.
func (t *tally) at() string {
	if t.broken && len(t.rounds) == 0 {
		return "sender"
	}
	return t.scheme.at
}

// finished makes the row of both sides' statistics.
func (t *tally) finished(p *option.Plan, forced bool, mine, theirs oob.Row) result.Row {
	s := t.scheme
	r := result.Row{
		Size: s.size, Mode: string(s.way.mode), Variant: s.way.variant, Forced: forced && s.memory, Opcode: s.opcode.String(),
		Touch: string(s.touch), Slots: s.slots, Span: s.span, Depth: int(s.depth), CQMod: int(s.every), Relaxed: s.relaxed,
		WarmupS: warmUpOf(p).Seconds(), NoRatio: t.noRatio, Rounds: t.rounds, Latency: mine.Latency, Bandwidth: mine.Bandwidth,
	}
	if r.Latency == nil {
		r.Latency = theirs.Latency
	}
	if r.Bandwidth == nil {
		r.Bandwidth = theirs.Bandwidth
	}
	if s.bothWays() {
		t.sum(&r, theirs)
	}
	if r.Latency != nil {
		r.Latency.Rate = t.iterationsPerSecond()
	}
	n := rowMessages(&r)
	r.Local, r.Peer = t.here.cost(n), t.there.cost(n)
	t.counted.tell(&r.Local)
	if mine.Latency != nil {
		r.Samples = t.keptNs()
	}
	if p.Verify {
		r.Verify = t.verified()
	}
	if s.lossy && s.in != (sides{}) {
		t.deliver(&r)
	}
	r.Warnings = receiveWarnings(s, p)
	pausing := p.Gap > 0
	r.Warnings = append(r.Warnings, rowWarnings(s, &r, spinning{!pausing || t.role != Client, !pausing || t.role == Client})...)
	r.Warnings = append(r.Warnings, rateWarnings(s, p, &r)...)
	r.Warnings = append(r.Warnings, driftWarnings(t.here.drift, t.there.drift)...)
	return r
}

// check adds what both sides found by checking every byte, in warm-ups too.
func (t *tally) check(mine, theirs oob.Round) {
	t.checked = t.checked || theirs.Verify != nil
	for i, v := range []*result.Verify{mine.Verify, theirs.Verify} {
		if v != nil {
			t.verify[i].Add(*v)
		}
	}
}

// verified is what both sides found.
func (t *tally) verified() *result.Verify {
	var v result.Verify
	for i, side := range []string{"this side", "the peer"} {
		found := t.verify[i]
		if found.First != "" {
			found.First = "on " + side + ": " + found.First
		}
		v.Add(found)
	}
	return &v
}

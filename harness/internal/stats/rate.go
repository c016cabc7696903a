package stats

import (
	"math"

	"github.com/ibperf/ibperf/result"
)

// Rate measures the bandwidth of a stream of messages in constant memory. Messages are added in
// batches, each with the time at which it was known to be done. Rate computes the average, and the
// rates of consecutive windows of a fixed length. It serves one goroutine.
type Rate struct {
	messages uint64 // in all rounds
	prevNs   int64  // duration of the earlier rounds

	start     int64   // beginning of this round
	last      int64   // time of its last batch, otherwise its start
	windowEnd int64   // end of the open window, always after last; math.MinInt64 before Start
	openShare float64 // messages in the open window: its share of the batch that crossed its beginning
	openWhole uint64  // messages in the open window: batches that are entirely within it

	windows       windows       // complete ones
	joint         *jointWindows // that the windows are added to instead; nil unless the rate is one of several
	cut           bool          // the open window of a joint rate began before Start
	hasShortRound bool          // an earlier round had no complete window
}

// NewRate returns an empty Rate, which needs about 290 KiB.
func NewRate() *Rate { return &Rate{windowEnd: math.MinInt64, windows: newWindows()} }

// NewJointRates returns groups of n empty rates each, for streams that are measured at the same time by one clock, for
// [MergeConcurrent]. Each may have a goroutine of its own.
func NewJointRates(groups, n int) (all []*Rate) {
	if groups*n == 1 {
		return []*Rate{NewRate()}
	}
	var sum *jointWindows
	if groups > 1 {
		sum = newJointWindows(groups)
	}
	for range groups {
		joint := newJointWindows(n)
		joint.sum = sum
		for range n {
			all = append(all, &Rate{windowEnd: math.MinInt64, joint: joint})
		}
	}
	return all
}

// Reset makes the rate empty, and the windows of all rates that are joint with it.
func (r *Rate) Reset() {
	r.Start(0)
	if r.joint != nil {
		r.joint.reset()
	}
}

// Start resets the rate and begins a round at now, in nanoseconds of any monotonic
// clock. The windows of joint rates are reset by [Rate.Reset] alone.
func (r *Rate) Start(now int64) {
	if r.joint != nil {
		*r = Rate{start: now, last: now, windowEnd: (now/Window + 1) * Window, joint: r.joint, cut: true}
		return
	}
	r.windows.reset()
	*r = Rate{start: now, last: now, windowEnd: now + Window, windows: r.windows}
}

// Add adds messages that were known to be done at now, in nanoseconds of Start's clock. A time before
// that of the last batch counts as the time of the last batch. A batch without messages, or before
// Start, is ignored.
func (r *Rate) Add(messages uint64, now int64) {
	if messages == 0 {
		return
	}
	if now >= r.windowEnd {
		r.addAcrossWindows(messages, now)
		return
	}
	r.messages += messages
	r.openWhole += messages
	r.last = max(r.last, now)
}

// addAcrossWindows adds a batch at or after the end of the open window. The times at which its
// messages were done are not known, so they are distributed evenly over the time since the last
// batch: the windows together get exactly the messages that were done.
func (r *Rate) addAcrossWindows(messages uint64, now int64) {
	if !r.started() {
		return
	}
	rate := float64(messages) / float64(now-r.last)
	if !r.cut {
		r.addWindows(r.openShare+float64(r.openWhole)+rate*float64(r.windowEnd-r.last), 1)
	}
	r.cut = false
	if whole := (now - r.windowEnd) / Window; whole > 0 {
		r.windowEnd += whole * Window
		r.addWindows(rate*Window, whole)
	}
	r.openShare, r.openWhole = rate*float64(now-r.windowEnd), 0
	r.windowEnd += Window
	r.messages += messages
	r.last = now
}

// addWindows adds n windows with the same number of messages, the last of which ends at the open window's end.
func (r *Rate) addWindows(messages float64, n int64) {
	if r.joint != nil {
		r.joint.add(messages, r.windowEnd, n)
		return
	}
	r.windows.add(messages, n)
}

// started reports whether Start was called.
func (r *Rate) started() bool { return r.windowEnd > r.start }

// Merge adds the messages, the time and the windows of other, as a round that followed those of r.
// Open windows do not count. If a round is too short for a window, the result has no windows, because
// only the slower rounds would be represented.
func (r *Rate) Merge(other *Rate) {
	r.hasShortRound = r.hasShortRound || other.messages > 0 && !other.windowed()
	r.messages += other.messages
	r.prevNs += other.ns()
	r.windows.merge(&other.windows)
}

// Messages returns the number of messages since Start.
func (r *Rate) Messages() uint64 { return r.messages }

// ns returns the time from Start to the last batch, summed over all rounds.
func (r *Rate) ns() int64 { return r.prevNs + r.last - r.start }

// Span returns the times of Start and of the last batch.
func (r *Rate) Span() (start, last int64) { return r.start, r.last }

// MsgRate returns the average rate in messages per second, from Start to the last
// batch; 0 if that took no time.
func (r *Rate) MsgRate() float64 {
	if r.ns() == 0 {
		return 0
	}
	return float64(r.messages) / float64(r.ns()) * 1e9
}

// Bandwidth returns the rates of messages of size bytes: the average from Start to the last batch,
// and the smallest, median and largest rate of the complete windows. Without a complete window, those
// three and the window's length are 0. The average also counts as the rate of a window, because the
// messages after the last complete window may have had another rate than all windows. Bandwidth
// copies measuredAt, "sender" or "receiver", to the result.
func (r *Rate) Bandwidth(size int, measuredAt string) *result.Bandwidth {
	b := &result.Bandwidth{
		Messages:   r.messages,
		Bytes:      r.messages * uint64(size),
		Seconds:    float64(r.ns()) / 1e9,
		Average:    r.MsgRate() * float64(size),
		MsgRate:    r.MsgRate(),
		MeasuredAt: measuredAt,
	}
	if r.windowed() {
		perSecond := float64(size) * (1e9 / Window)
		b.Slowest = min(r.windows.min*perSecond, b.Average)
		b.MedianWindow = r.windows.median() * perSecond
		b.Peak = max(r.windows.max*perSecond, b.Average)
		b.WindowS = Window / 1e9
	}
	return b
}

// windowed reports whether the windows represent all rounds.
func (r *Rate) windowed() bool { return r.windows.n() > 0 && !r.hasShortRound }

// Latency returns the mean time of a message, multiplied by factor, without other statistics. It
// returns nil if there are no messages.
func (r *Rate) Latency(factor float64) *result.Latency {
	if r.messages == 0 {
		return nil
	}
	return &result.Latency{
		N: r.messages, MeanNs: float64(r.ns()) / float64(r.messages) * factor, Factor: factor, MeanOnly: true,
	}
}

// MergeConcurrent returns the sum of the rates of [NewJointRates], or of one of its groups: all messages, from the first start to
// the last batch, and the windows in which all streams went on.
func MergeConcurrent(rates []*Rate) *Rate {
	j := rates[0].joint
	if j == nil {
		return rates[0]
	}
	if len(rates) > j.rates {
		j = j.sum
	}
	all, tooLate := NewRate(), false
	for _, r := range rates {
		tooLate = tooLate || r.joint.tooLate
	}
	if !tooLate && !j.tooLate {
		all.windows.merge(&j.complete)
	}
	for _, r := range rates {
		if r.messages == 0 {
			continue
		}
		if all.messages == 0 {
			all.start = r.start
		}
		all.messages += r.messages
		all.start, all.last = min(all.start, r.start), max(all.last, r.last)
	}
	return all
}

package stats

import (
	"math"

	"github.com/ibperf/ibperf/reports/result"
)

// Rate measures the bandwidth of a stream of messages in constant memory. It is told
// of edges: moments at which a number of messages was known to be done. Beside the
// average it finds the rates of windows of a fixed length, one after another from the
// start on. It serves one goroutine.
type Rate struct {
	messages uint64 // of all rounds
	earlier  int64  // nanoseconds of the rounds before this one

	start  int64   // of this round
	last   int64   // its last edge, or its start
	border int64   // where the open window ends, always after last; before a start, long ago
	shared float64 // of the open window's messages: its share of the edge at its beginning
	open   uint64  // and those of edges within it

	windows windows
	brief   bool // a round before this one had no complete window
}

// NewRate returns a meter that has seen nothing. It needs about 290 KiB.
func NewRate() *Rate { return &Rate{border: math.MinInt64, windows: newWindows()} }

// Start forgets everything and begins a round at now, in nanoseconds of any monotonic
// clock.
func (r *Rate) Start(now int64) {
	r.windows.reset()
	*r = Rate{start: now, last: now, border: now + Window, windows: r.windows}
}

// Edge tells that messages more messages are done at now, in nanoseconds of Start's
// clock. A time before the last edge's counts as the last edge's; an edge of no messages
// is none, and so is one before Start.
func (r *Rate) Edge(messages uint64, now int64) {
	if messages == 0 {
		return
	}
	if now >= r.border {
		r.cross(messages, now)
		return
	}
	r.messages += messages
	r.open += messages
	r.last = max(r.last, now)
}

// cross takes an edge at the open window's end or later. Nothing is known of the moments
// at which its messages were done, so they are shared out in proportion to time: no
// window gets more than was moved.
func (r *Rate) cross(messages uint64, now int64) {
	if !r.started() {
		return
	}
	rate := float64(messages) / float64(now-r.last)
	r.windows.add(r.shared+float64(r.open)+rate*float64(r.border-r.last), 1)
	if whole := (now - r.border) / Window; whole > 0 {
		r.windows.add(rate*Window, whole)
		r.border += whole * Window
	}
	r.shared, r.open = rate*float64(now-r.border), 0
	r.border += Window
	r.messages += messages
	r.last = now
}

func (r *Rate) started() bool { return r.border > r.start }

// Merge adds what other has measured: its messages, its time and its windows, as those
// of rounds that were measured one after another. The open window of a round counts in
// neither. If a round is too short for a window there are none: those of the others
// would be windows of slow rounds only.
func (r *Rate) Merge(other *Rate) {
	r.brief = r.brief || other.messages > 0 && !other.windowed()
	r.messages += other.messages
	r.earlier += other.ns()
	r.windows.merge(&other.windows)
}

// Messages returns how many messages are done since Start.
func (r *Rate) Messages() uint64 { return r.messages }

// ns returns the time from Start to the last edge, of all rounds together.
func (r *Rate) ns() int64 { return r.earlier + r.last - r.start }

// Span returns the times of Start and of the last edge.
func (r *Rate) Span() (start, last int64) { return r.start, r.last }

// MsgRate returns the average rate in messages per second, from Start to the last
// edge. What took no time has no rate: 0.
func (r *Rate) MsgRate() float64 {
	if r.ns() == 0 {
		return 0
	}
	return float64(r.messages) / float64(r.ns()) * 1e9
}

// Bandwidth returns the rates of messages of size bytes: the average from Start to the
// last edge, and the smallest, median and largest of the complete windows. Without a
// complete window, those three and the window's length are absent, 0. The time from Start
// on counts as a window, too: what is left of it behind the last window may differ from
// them all. measuredAt, "sender" or "receiver", is copied.
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
		b.Slowest = min(r.windows.least*perSecond, b.Average)
		b.MedianWindow = r.windows.median() * perSecond
		b.Peak = max(r.windows.most*perSecond, b.Average)
		b.WindowS = Window / 1e9
	}
	return b
}

// windowed tells whether there are windows that stand for all of the time.
func (r *Rate) windowed() bool { return r.windows.n() > 0 && !r.brief }

// Latency returns the mean time of a message, multiplied by factor, and no other
// statistics. Without messages there is none, and the result is nil.
func (r *Rate) Latency(factor float64) *result.Latency {
	if r.messages == 0 {
		return nil
	}
	return &result.Latency{
		N: r.messages, MeanNs: float64(r.ns()) / float64(r.messages) * factor, Factor: factor, MeanOnly: true,
	}
}

// Together returns what several meters measured at the same time, of one clock: all
// messages, from the first start to the last edge. It has no windows, since those of the
// meters do not begin together.
func Together(rates []*Rate) *Rate {
	all := NewRate()
	all.start = math.MaxInt64
	for _, r := range rates {
		all.messages += r.messages
		all.start = min(all.start, r.start)
		all.last = max(all.last, r.last)
	}
	return all
}

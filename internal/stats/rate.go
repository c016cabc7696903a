package stats

import "github.com/ibperf/ibperf/reports/result"

// Rate measures the bandwidth of a stream of messages in constant memory. It is
// told of edges: moments at which a number of messages was known to be done. It
// serves one goroutine.
type Rate struct {
	started bool
	first   point // the start, with 0 messages
	last    point // the last edge
	peak    peak
}

// NewRate returns a meter whose peak is taken over windows of at least
// windowMessages messages (at least 1). It needs 32 to 64 bytes for each of them.
func NewRate(windowMessages int) *Rate {
	return &Rate{peak: newPeak(max(windowMessages, 1))}
}

// Start forgets everything and begins a measurement at now, in nanoseconds of
// any monotonic clock.
func (r *Rate) Start(now int64) {
	r.started = true
	r.first = point{time: now}
	r.last = r.first
	r.peak.reset()
	r.peak.add(r.first)
}

// Edge tells that messages more messages are done at now, in nanoseconds of
// Start's clock. A time before the last edge's counts as the last edge's; an
// edge of no messages is none.
func (r *Rate) Edge(messages uint64, now int64) {
	if messages == 0 || !r.started {
		return
	}
	r.last.messages += messages
	r.last.time = max(r.last.time, now)
	r.peak.add(r.last)
}

// Messages returns how many messages are done since Start.
func (r *Rate) Messages() uint64 { return r.last.messages }

// Bandwidth returns the rates of messages of size bytes, from Start to the last
// edge. The peak is the highest average between any two edges with at least the
// window's number of messages between them, and where there are no such edges it
// is the average. measuredAt, "sender" or "receiver", is copied. What took no
// time has no rate: 0.
func (r *Rate) Bandwidth(size int, measuredAt string) *result.Bandwidth {
	total := span{messages: r.last.messages, ns: uint64(r.last.time - r.first.time)}
	bytes := float64(size)
	average := total.rate() * bytes
	return &result.Bandwidth{
		Messages:   total.messages,
		Bytes:      total.messages * uint64(size),
		Seconds:    float64(total.ns) / 1e9,
		Average:    average,
		Peak:       max(average, r.peak.best.rate()*bytes),
		MsgRate:    total.rate(),
		MeasuredAt: measuredAt,
	}
}

// Latency returns the mean time of a message, multiplied by factor, and no other
// statistics. Without messages there is none, and the result is nil.
func (r *Rate) Latency(factor float64) *result.Latency {
	total := r.first.to(r.last)
	if total.messages == 0 {
		return nil
	}
	return &result.Latency{
		N: total.messages, MeanNs: float64(total.ns) / float64(total.messages) * factor, Factor: factor, MeanOnly: true,
	}
}

// MsgRate returns the average rate in messages per second, from Start to the
// last edge.
func (r *Rate) MsgRate() float64 {
	return span{messages: r.last.messages, ns: uint64(r.last.time - r.first.time)}.rate()
}

package loop

import (
	"math"

	"github.com/ibperf/ibperf/harness/internal/clock"
)

// pacer limits the rate of a sender. Messages are sent in bursts, at times that follow from that of
// the first burst. A sender that is late catches up, so the rate of the whole round is the limit. A
// timed round has the number of messages that its time allows, and ends with the last of them.
type pacer struct {
	clock     *clock.Clock
	interval  float64  // ns from one message to the next
	burst     uint64   // messages in a burst
	list      uint64   // messages in one post, at least 1
	before    []uint64 // messages that each flow had sent before the round
	duration  float64  // ns, of a timed round; else 0
	remaining uint64   // messages in the round after the next burst
	next      float64  // time of the next burst
	end       float64  // time at which a timed round ends
	size      uint64   // messages in the next burst
	left      uint64   // unsent messages of the released bursts
	released  uint64   // messages in all released bursts
	timeUp    func() error
}

// pacer returns the pacer of a round, or nil without a rate limit.
func (w *Worker) pacer(l Length) *pacer {
	c, flows := w.test, uint64(len(w.flows))
	if c.Burst == 0 {
		return nil
	}
	p := &pacer{clock: w.Clock, burst: c.Burst, list: max(1, c.PostList), duration: float64(l.Duration), remaining: l.Messages * flows,
		interval: c.Interval * w.share()}
	if l.Messages == 0 {
		p.remaining = max(1, uint64(p.duration/p.interval))
	}
	for _, f := range w.flows {
		p.before = append(p.before, f.out.sent)
	}
	return p
}

// start begins the round at now.
func (p *pacer) start(now int64) {
	p.next, p.end = float64(now), math.Inf(1)
	if p.duration > 0 {
		p.end = float64(now) + p.duration
	}
	p.prepare()
}

// limit returns the functions of a sending part, limited to the rate.
func (p *pacer) limit(room func(*sender) uint64, post func(*sender, uint64) error, reap func() (int, error)) (
	func(*sender) uint64, func(*sender, uint64) error, func() (int, error)) {
	return func(o *sender) uint64 { return min(room(o), p.left, p.quota(o)) },
		func(o *sender, n uint64) error { p.left -= n; return post(o, n) },
		func() (int, error) {
			if err := p.refill(); err != nil {
				return 0, err
			}
			return reap()
		}
}

// quota returns the number of messages that a QP may send now. Released messages are divided equally
// among the QPs, in whole lists.
func (p *pacer) quota(o *sender) uint64 {
	lists := p.list * uint64(len(p.before))
	allowed := (p.released + lists - 1) / lists * p.list
	return allowed - min(allowed, o.sent-p.before[o.flow.position])
}

// prepare sets the time and size of the next burst. In a timed round it is sent by the end of the round
// at the latest.
func (p *pacer) prepare() {
	p.size = min(p.burst, p.remaining)
	p.remaining -= p.size
	p.next = min(p.next+p.interval*float64(p.size), p.end)
}

// refill releases the next burst once its time is reached and the previous one was sent. It ends a
// timed round after the last burst.
func (p *pacer) refill() error {
	switch {
	case p.left > 0 || float64(p.clock.Now()) < p.next:
	case p.size > 0:
		p.left, p.released = p.size, p.released+p.size
		p.prepare()
	case p.duration > 0:
		p.duration, p.left, p.released = 0, math.MaxUint64, math.MaxInt64 // for the message that requests the last completion
		return p.timeUp()
	}
	return nil
}

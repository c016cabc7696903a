package harness

import (
	"cmp"
	"math"
	"time"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/internal/stats"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// pacer holds a sender to a rate: messages go in bursts, each after the time that its
// messages may take. The times of the bursts follow from the first one's, so that who is late
// catches up and the rate is neither above nor below the limit in the end. A timed round has as
// many messages as its time has room for, so that it ends with the last of them.
type pacer struct {
	clock    *clock.Clock
	apart    float64  // ns from one message to the next
	burst    uint64   // messages
	list     uint64   // messages of one post, at least 1
	before   []uint64 // what each lane had sent before the round
	duration float64  // ns of a timed round, else 0
	rest     uint64   // messages of the round behind the burst that comes
	next     float64  // when the burst that comes may go
	end      float64  // of a timed round
	size     uint64   // of the burst that comes
	left     uint64   // of the one that goes
	gone     uint64   // messages of all bursts up to that one
	late     func() error
}

// pacer returns what holds a sender to the rate of its scheme in a turn, nil if there is none.
func (w *worker) pacer(t oob.Turn) *pacer {
	s, lanes := w.scheme, uint64(len(w.lanes))
	if s.burst == 0 {
		return nil
	}
	p := &pacer{clock: w.clock, burst: s.burst, list: max(1, s.list), duration: float64(t.Duration), rest: t.Messages * lanes,
		apart: s.apart * float64(len(w.group.lanes())) / float64(lanes)}
	if t.Messages == 0 {
		p.rest = max(1, uint64(p.duration/p.apart))
	}
	for _, l := range w.lanes {
		p.before = append(p.before, l.out.sent)
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

// hold returns the steps of a sender, held to the rate.
func (p *pacer) hold(room func(*sender) uint64, post func(*sender, uint64) error, reap func() (int, error)) (
	func(*sender) uint64, func(*sender, uint64) error, func() (int, error)) {
	return func(o *sender) uint64 { return min(room(o), p.left, p.share(o)) },
		func(o *sender, n uint64) error { p.left -= n; return post(o, n) },
		func() (int, error) {
			if err := p.refill(); err != nil {
				return 0, err
			}
			return reap()
		}
}

// share is what a QP may send of the messages that are to be gone by now: as much as the
// others, in whole lists.
func (p *pacer) share(o *sender) uint64 {
	lists := p.list * uint64(len(p.before))
	most := (p.gone + lists - 1) / lists * p.list
	return most - min(most, o.sent-p.before[o.lane.place])
}

// prepare sets time and size of the burst that comes. The only message of a timed round goes at
// its end, if it may not go before.
func (p *pacer) prepare() {
	p.size = min(p.burst, p.rest)
	p.rest -= p.size
	p.next = min(p.next+p.apart*float64(p.size), p.end)
}

// refill lets the burst that comes go, once the one before it is gone and its time has come,
// and ends a timed round behind the last one.
func (p *pacer) refill() error {
	switch {
	case p.left > 0 || float64(p.clock.Now()) < p.next:
	case p.size > 0:
		p.left, p.gone = p.size, p.gone+p.size
		p.prepare()
	case p.duration > 0:
		p.duration, p.left, p.gone = 0, math.MaxUint64, math.MaxInt64 // for what tells of the last completion
		return p.late()
	}
	return nil
}

// burstOf is how many messages are sent at a time, in whole lists: if nothing is asked for those
// of a window of the rate, and no more than TxDepth.
func burstOf(p *option.Plan, apart float64) uint64 {
	window := int(min(stats.Window/apart, float64(p.TxDepth)))
	return uint64(roundUp(cmp.Or(p.Burst, max(1, window)), max(1, p.PostList)))
}

// burstTime is how long a burst may be waited for.
func (s *scheme) burstTime() time.Duration {
	return time.Duration(min(s.apart*float64(s.burst), float64(time.Hour)))
}

package harness

import (
	"math"
	"time"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/oob"
)

// pacer holds a sender to a rate: messages go in bursts, each after the time that its
// messages may take. The times of the bursts follow from the first one's, so that who is late
// catches up and the rate is neither above nor below the limit in the end.
type pacer struct {
	clock *clock.Clock
	apart float64 // ns from one message to the next
	burst uint64
	rest  uint64  // messages of the round behind the burst that comes
	next  float64 // when the burst that comes may go
	size  uint64  // of that one
	left  uint64  // of the one that goes
}

// pace returns the steps of a sender, held to the rate of its scheme.
func (w *worker) pace(t oob.Turn, room func(*sender) uint64, post func(*sender, uint64) error, reap func() (int, error)) (
	func(*sender) uint64, func(*sender, uint64) error, func() (int, error)) {
	p := &pacer{clock: w.clock, apart: w.scheme.apart, burst: w.scheme.burst, rest: math.MaxUint64, next: float64(w.clock.Now())}
	if t.Messages > 0 {
		p.rest = t.Messages * uint64(len(w.lanes))
	}
	p.prepare()
	return func(o *sender) uint64 { return min(room(o), p.left) },
		func(o *sender, n uint64) error { p.left -= n; return post(o, n) },
		func() (int, error) { p.refill(); return reap() }
}

// prepare sets time and size of the burst that comes.
func (p *pacer) prepare() {
	p.size = min(p.burst, p.rest)
	p.rest -= p.size
	p.next += p.apart * float64(p.size)
}

// refill lets the burst that comes go, once the one before it is gone and its time has come.
func (p *pacer) refill() {
	if p.left > 0 || p.size == 0 || float64(p.clock.Now()) < p.next {
		return
	}
	p.left = p.size
	p.prepare()
}

// burstTime is how long a burst may be waited for.
func (s *scheme) burstTime() time.Duration {
	return time.Duration(min(s.apart*float64(s.burst), float64(time.Hour)))
}

package harness

import (
	"math"

	"github.com/ibperf/ibperf/internal/stats"
	"github.com/ibperf/ibperf/oob"
)

// visit bounds the messages of one lane that are taken before the next lane's. Before the
// measurement begins it is 1, so that little is left out of it.
const visit = 64

// receiving returns the part that receives over all lanes of the worker. What it measures
// begins with the first messages.
func (w *worker) receiving(t oob.Turn, rate *stats.Rate) *part {
	p := &part{blocked: func() bool { return true }, rate: rate, until: math.MaxInt64, want: &w.target}
	p.spread(w.scheme, t.Messages == 0)
	most := uint64(1)
	p.begin = func() {
		most = visit
		if !w.meter.running {
			w.beginMeter()
		}
		rate.Start(w.clock.Now())
	}
	p.step = w.receiveStep(&most)
	return p
}

// receiveStep returns the step of a receiving part: learn of messages, consume them, give
// their slots back. At most so many are taken of a lane at a time. Slots are given back after
// as many messages in memory as after completions, or a sender in mode data would wait longer.
func (w *worker) receiveStep(most *uint64) func() (uint64, error) {
	s := w.scheme
	switch {
	case s.placed:
		return w.takePlaced(most)
	case !s.memory:
		return w.takeCompletions(most)
	}
	look, giveBack := s.looker(), (*receiver).give
	if s.receives {
		giveBack = (*receiver).keep
	}
	step := func() (uint64, error) {
		var n uint64
		for _, l := range w.lanes {
			i := &l.in
			if n += look(i, min(*most, i.due-i.arrived)); i.arrived < i.due {
				continue
			}
			i.due = i.arrived + i.batch
			if err := giveBack(i); err != nil {
				return 0, err
			}
		}
		return n, nil
	}
	if s.receives {
		step = w.reusing(step)
	}
	if s.look {
		step = w.glancing(step)
	}
	return step
}

// looker returns how a lane's next messages are looked for in memory and consumed.
func (s *scheme) looker() func(i *receiver, most uint64) uint64 {
	consume := s.consumer()
	switch {
	case s.verify:
		return func(i *receiver, most uint64) (n uint64) {
			i.notice(i.arrived)
			for ; n < most && i.marks.Arrived(i.arrived); n++ {
				consume(i, i.arrived)
				i.arrived++
				i.notice(i.arrived)
			}
			return n
		}
	case consume == nil:
		return func(i *receiver, most uint64) uint64 {
			seen, marks := i.arrived, i.marks
			for most += seen; seen < most && marks.Arrived(seen); {
				seen++
			}
			n := seen - i.arrived
			i.arrived = seen
			return n
		}
	}
	return func(i *receiver, most uint64) (n uint64) {
		for ; n < most && i.marks.Arrived(i.arrived); n++ {
			consume(i, i.arrived)
			i.arrived++
		}
		return n
	}
}

// give tells the sender of messages that took no receives.
func (i *receiver) give() error { return i.giveCredit(i.arrived) }

// keep leaves it to [worker.reuse] to tell the sender.
func (i *receiver) keep() error { return nil }

// reusing is step, for messages that have taken receives: once there are slots to give back,
// completions are polled, receives posted again and senders told.
func (w *worker) reusing(step func() (uint64, error)) func() (uint64, error) {
	return func() (uint64, error) {
		n, err := step()
		if err != nil {
			return 0, err
		}
		for _, l := range w.lanes {
			if l.in.hasToGive() {
				if err := w.reuse(); err != nil {
					return 0, err
				}
				break
			}
		}
		return n, nil
	}
}

// consumed is how many messages were seen in memory and have their receives posted again.
func (i *receiver) consumed() uint64 { return min(i.arrived, i.reaped-i.free) }

// hasToGive reports whether completions are to be polled, receives to be posted or the sender
// to be told. Completions that were looked at meanwhile may be ahead of what was seen.
func (i *receiver) hasToGive() bool {
	return i.unreaped() >= int64(i.batch) || i.free >= i.batch || i.arrived-i.credits.told >= i.quarter
}

func (w *worker) reuse() error {
	if _, err := w.reapRecvs(); err != nil {
		return err
	}
	for _, l := range w.lanes {
		if err := l.in.repost(); err != nil {
			return err
		}
		if err := l.in.giveCredit(l.in.consumed()); err != nil {
			return err
		}
	}
	return nil
}

// takeCompletions returns the step that learns of messages by the completions of their
// receives, whose wr_id is the lane's place. Once enough of a lane's receives are free they
// are posted again, and only then there is something to tell the sender.
func (w *worker) takeCompletions(most *uint64) func() (uint64, error) {
	consume, reap, giveBack := w.scheme.consumerOf(), w.receivePoller(most), (*receiver).restock
	if w.scheme.credits {
		giveBack = (*receiver).restockAndTell
	}
	return func() (uint64, error) {
		wcs, err := reap()
		for n := range wcs {
			i := &w.lanes[wcs[n].WRID].in
			consume(i, i.arrived)
			i.arrived++
			if i.received(1); i.free < i.batch {
				continue
			}
			if err := giveBack(i); err != nil {
				return 0, err
			}
		}
		return uint64(len(wcs)), err
	}
}

// restockAndTell posts all receives again that are free, and tells the sender of their
// slots.
func (i *receiver) restockAndTell() error {
	if err := i.restock(); err != nil {
		return err
	}
	return i.giveCredit(i.reaped - i.free)
}

package loop

import (
	"math"

	"github.com/ibperf/ibperf/harness/internal/stats"
	"github.com/ibperf/ibperf/harness/internal/testcase"
)

// maxPerVisit is the largest number of messages of one flow that are consumed before those of the next
// flow. The limit is 1 until the clock has started, so that only one message is not measured.
const maxPerVisit = 64

// receiving returns the part that receives on all flows of the worker. Its clock starts with the
// first messages.
func (w *Worker) receiving(l Length, rate *stats.Rate) *part {
	p := &part{blocked: func() bool { return true }, rate: rate, until: math.MaxInt64, want: &w.expected}
	p.setClockInterval(w.test, l.Messages == 0)
	limit := uint64(1)
	p.begin = func() {
		limit = maxPerVisit
		if !w.meter.running {
			w.beginMeter()
		}
		rate.Start(w.Clock.Now())
	}
	p.advance = w.receiveFunc(&limit)
	return p
}

// receiveFunc returns the advance function of a receiving part: it detects messages, at most *limit of
// a flow at a time, consumes them and returns their slots. Slots are returned after the same number
// of messages in all modes; otherwise a sender in mode data would wait longer.
func (w *Worker) receiveFunc(limit *uint64) func() (uint64, error) {
	c := w.test
	switch {
	case c.RecvFromCQE:
		return w.takeRecvs(limit)
	case c.ByCounter:
		return w.takeCounted(limit)
	case !c.PollsMemory:
		return w.takeCompletions(limit)
	}
	poll, returnSlots := memoryPoller(c), (*receiver).returnByCredit
	if c.UsesReceives {
		returnSlots = (*receiver).returnLater
	}
	advance := func() (uint64, error) {
		var n uint64
		for _, f := range w.flows {
			i := &f.in
			if n += poll(i, min(*limit, i.due-i.arrived)); i.arrived < i.due {
				continue
			}
			i.due = i.arrived + i.batch
			if err := returnSlots(i); err != nil {
				return 0, err
			}
		}
		return n, nil
	}
	if c.UsesReceives {
		advance = w.withSlotReturn(advance)
	}
	if c.PollsCQToo {
		advance = w.withCQCheck(advance)
	}
	return advance
}

// memoryPoller returns the function that polls memory for up to limit messages of a flow and consumes
// them.
func memoryPoller(c *testcase.Case) func(i *receiver, limit uint64) uint64 {
	consume := consumer(c)
	switch {
	case c.Verify:
		return func(i *receiver, limit uint64) (n uint64) {
			i.noticeRedelivery(i.arrived)
			for ; n < limit && i.marks.Arrived(i.arrived); n++ {
				consume(i, i.arrived)
				i.arrived++
				i.noticeRedelivery(i.arrived)
			}
			return n
		}
	case consume == nil:
		return func(i *receiver, limit uint64) uint64 {
			seen, marks := i.arrived, i.marks
			for limit += seen; seen < limit && marks.Arrived(seen); {
				seen++
			}
			n := seen - i.arrived
			i.arrived = seen
			return n
		}
	}
	return func(i *receiver, limit uint64) (n uint64) {
		for ; n < limit && i.marks.Arrived(i.arrived); n++ {
			consume(i, i.arrived)
			i.arrived++
		}
		return n
	}
}

// returnByCredit returns slots of messages that took no receives: a credit is sufficient.
func (i *receiver) returnByCredit() error { return i.giveCredit(i.arrived) }

// returnLater does nothing: [Worker.returnSlots] returns slots of messages that took receives.
func (i *receiver) returnLater() error { return nil }

// withSlotReturn returns an advance function for messages that take receives: after advance it returns
// slots, once enough of them are free.
func (w *Worker) withSlotReturn(advance func() (uint64, error)) func() (uint64, error) {
	return func() (uint64, error) {
		n, err := advance()
		if err != nil {
			return 0, err
		}
		for _, f := range w.flows {
			if f.in.hasSlotsToReturn() {
				if err := w.returnSlots(); err != nil {
					return 0, err
				}
				break
			}
		}
		return n, nil
	}
}

// consumed returns the number of messages that were detected in memory and whose receives are
// posted again.
func (i *receiver) consumed() uint64 { return min(i.arrived, i.reaped-i.free) }

// hasSlotsToReturn reports whether it is time to poll completions, to post receives or to send a
// credit.
// More completions may have been polled than messages detected.
func (i *receiver) hasSlotsToReturn() bool {
	return i.unreaped() >= int64(i.batch) || i.free >= i.batch || i.arrived-i.credits.announced >= i.quarter
}

// returnSlots polls completions of receives, posts receives again and sends credits.
func (w *Worker) returnSlots() error {
	if _, err := w.reapRecvs(); err != nil {
		return err
	}
	for _, f := range w.flows {
		if err := f.in.repost(); err != nil {
			return err
		}
		if err := f.in.giveCredit(f.in.consumed()); err != nil {
			return err
		}
	}
	return nil
}

// takeCompletions returns the function that detects messages by the completions of their receives,
// whose wr_id is the position of the flow. Once enough receives of a flow are free it posts them
// again and sends a credit.
func (w *Worker) takeCompletions(limit *uint64) func() (uint64, error) {
	consume, reap, returnSlots := consumerOrNoop(w.test), w.receivePoller(limit), (*receiver).restock
	switch {
	case w.test.UsesCredits:
		returnSlots = (*receiver).restockAndCredit
	case w.test.Exact:
		returnSlots = (*receiver).repostAllowed
	}
	return func() (uint64, error) {
		wcs, err := reap()
		for n := range wcs {
			i := &w.flows[wcs[n].WRID].in
			consume(i, i.arrived)
			i.arrived++
			if i.received(1); i.free < i.batch {
				continue
			}
			if err := returnSlots(i); err != nil {
				return 0, err
			}
		}
		return uint64(len(wcs)), err
	}
}

// restockAndCredit posts all free receives again, and sends a credit for their slots.
func (i *receiver) restockAndCredit() error {
	if err := i.restock(); err != nil {
		return err
	}
	return i.giveCredit(i.reaped - i.free)
}

package loop

import (
	"fmt"
	"time"

	"github.com/ibperf/ibperf/internal/sched"
	"github.com/ibperf/ibperf/verbs"
)

// measureIsolated measures each message on its own: a sample begins before the post and ends once the
// answer was consumed, and no message is under way between two samples. It serves pauses between
// messages, and READs and atomic operations: a device that executes those in the post leaves no time
// in which the next message could be prepared unmeasured.
func (w *Worker) measureIsolated(l Length) error {
	if err := w.await(); err != nil {
		return err
	}
	return w.isolate(l)
}

// isolate records the samples of messages that are measured on their own, while none is under way.
func (w *Worker) isolate(l Length) error {
	start := w.Clock.Now()
	last, err := w.sampleIsolated(l, start)
	w.sampled = span{start, last}
	return err
}

// sampleIsolated records the samples of measureIsolated, and returns the time at which the last one
// ended. The first pause begins at start.
func (w *Worker) sampleIsolated(l Length, start int64) (end int64, err error) {
	clock, samples, gap := w.Clock, w.samples, int64(w.set.Plan.Gap)
	end = start
	n, until := sampleLimit(l, start)
	for ; n > 0; n-- {
		if err := w.pingPong.recycle(); err != nil {
			return end, err
		}
		o := w.prepareNext(w.rotation.nextFlow())
		if gap > 0 {
			w.sleepUntil(clock.Now() + gap)
		}
		if w.halt.On() {
			return end, errOver
		}
		posted, now, err := w.pingPong.exchange(o)
		if err != nil {
			return end, err
		}
		if !w.rotation.takeMiss() {
			samples.Record(now - posted)
		}
		if end = now; now >= until {
			return end, nil
		}
	}
	return end, nil
}

// spinBeforeEnd is the time before the end of a pause from which the thread spins instead of sleeping.
const spinBeforeEnd = int64(100 * time.Microsecond)

// sleepUntil waits until a time: it sleeps until spinBeforeEnd before that, in slices so that a halt
// ends the wait, and then spins.
func (w *Worker) sleepUntil(then int64) {
	for left := then - w.Clock.Now(); left > 0 && !w.halt.On(); left = then - w.Clock.Now() {
		if left > spinBeforeEnd {
			sched.Sleep(min(left-spinBeforeEnd, int64(eventSlice))) // a signal may end it early
		}
	}
}

// exchange posts the primed message of a sender and awaits its answer. It returns the times before and
// after.
func (w *Worker) exchange(o *sender) (posted, arrived int64, err error) {
	posted = w.Clock.Now()
	if err := o.fire(); err != nil {
		return 0, 0, err
	}
	err = w.await()
	return posted, w.Clock.Now(), err
}

// exchanger returns [Worker.exchange], or for READs and atomic operations on a device that can post and
// poll in one call, a function that does so. The calls into C, and what the loop decides between them, are
// then outside a sample, as in a program in C.
func (w *Worker) exchanger() func(o *sender) (posted, arrived int64, err error) {
	qp, ok := w.flows[0].qp.(verbs.PostPoller)
	if !ok || !w.test.Fetches || w.Clock.Hz() == 0 {
		return w.exchange
	}
	wcs, consumes := w.sendWCs, fetchConsumer(w.test) != nil
	if w.test.PollsMemory {
		wcs = nil
	}
	return func(o *sender) (posted, arrived int64, err error) {
		n, begin, end, err := qp.PostPoll(o.primed, w.sendCQ, wcs, w.spins)
		if err != nil {
			return 0, 0, fmt.Errorf("post message %d, or poll for it: %w", o.sent+1, err)
		}
		o.fired()
		posted = w.Clock.At(begin)
		if n, err = w.sendsDone(n, nil); err != nil {
			return 0, 0, err
		}
		if n == 0 {
			err = w.awaitMissed(len(wcs) > 0)
		} else {
			err = w.await()
		}
		if n == 0 || consumes {
			return posted, w.Clock.Now(), err
		}
		return posted, w.Clock.At(end), err
	}
}

// awaitMissed is await for a message that has not arrived yet. polled reports whether it was polled for.
func (w *Worker) awaitMissed(polled bool) error {
	if !polled {
		return w.await()
	}
	defer w.progressed()
	if err := w.pingPong.wait(); err != nil {
		return err
	}
	return w.await()
}

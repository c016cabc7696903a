package loop

import (
	"math"

	"github.com/ibperf/ibperf/harness/internal/testcase"
)

// pingPongCalls holds the functions that the loops of a ping-pong, or of READs one by one, call. They
// are chosen before the clock starts.
type pingPongCalls struct {
	load     func(o *sender, k uint64)                          // prepares message k
	recycle  func() error                                       // frees send slots and receives while a message is under way
	arrive   func() (bool, error)                               // polls a number of times for the next message, and consumes it
	wait     func() error                                       // called when the message has not arrived
	exchange func(o *sender) (posted, arrived int64, err error) // posts a message and awaits its answer
}

// leadIn is the number of messages that a ping-pong sends before the clock starts in each round. The
// first messages wake threads that sleep since the round of another mode.
const leadIn = 8

// pingPongMessages returns the number of messages of a round of n samples. A sample is the time
// from one post to the next, so the last message has none.
func pingPongMessages(n uint64) uint64 { return leadIn + n + 1 }

// pingPongClient sends first and measures round trips, from one post to the next. It reads the
// clock before each post, so the time of the post is part of the round trip that it begins, even if
// the thread loses its CPU meanwhile.
func (w *Worker) pingPongClient(l Length) error {
	if err := w.prepareNext(w.rotation.nextFlow()).fire(); err != nil {
		return err
	}
	w.rate.Start(w.Clock.Now())
	if _, err := w.roundTrips(leadIn-1, math.MaxInt64, math.MaxUint64); err != nil {
		return err
	}
	w.beginMeter()
	start, err := w.roundTrips(1, math.MaxInt64, 1)
	if err != nil {
		return err
	}
	switch {
	case w.test.OpenLoop:
		return w.measureOpenLoop(l)
	case w.isolates():
		return w.measureIsolated(l)
	}
	n, until := sampleLimit(l, start)
	err = w.measureRoundTrips(start, n, until)
	w.endMeter()
	if err != nil {
		return err
	}
	return w.awaitLast()
}

// isolates reports whether each message is measured on its own.
func (w *Worker) isolates() bool { return w.set.Plan.Gap > 0 || w.test.Fetches && !w.test.NoClock }

// sampleLimit returns the number of samples of a round and the time at which sampling ends. One of
// them is unlimited.
func sampleLimit(l Length, start int64) (n uint64, until int64) {
	if l.Messages == 0 {
		return math.MaxUint64, start + int64(l.Duration)
	}
	return l.Messages, math.MaxInt64
}

// measureRoundTrips measures n round trips, or those that begin before until. The first of them began
// with a post at start.
func (w *Worker) measureRoundTrips(start int64, n uint64, until int64) error {
	if !w.test.NoClock {
		last, err := w.sampleRoundTrips(start, n, until)
		w.sampled = span{start, last}
		return err
	}
	clockEvery := uint64(math.MaxUint64)
	if n == math.MaxUint64 {
		clockEvery = uint64(max(1, min(clockMessages, clockBytes/w.test.Size)))
	}
	w.rate.Start(start)
	_, err := w.roundTrips(n, until, clockEvery)
	w.sampled.begin, w.sampled.end = w.rate.Span()
	return err
}

// awaitLast waits for the answer to the last message, which has no sample.
func (w *Worker) awaitLast() error {
	if err := w.pingPong.recycle(); err != nil {
		return err
	}
	return w.await()
}

// prepareNext prepares the next message of a flow: its contents and its request.
func (w *Worker) prepareNext(f *Flow) *sender {
	o := &f.out
	w.pingPong.load(o, o.sent)
	o.prime()
	return o
}

// isClient reports whether this side sends first.
func (w *Worker) isClient() bool { return w.cfg.Role == testcase.Client }

// await waits until the next message was consumed, or given up as lost.
func (w *Worker) await() error {
	for waited := false; ; waited = true {
		if arrived, err := w.pingPong.arrive(); arrived || err != nil {
			if waited {
				w.progressed()
			}
			w.rotation.missedInRow = 0
			w.rotation.arrived++
			return err
		}
		if w.test.Lossy {
			if over, err := w.giveUp(); over || err != nil {
				return err
			}
		}
		if w.ended() {
			return errOver
		}
		if err := w.pingPong.wait(); err != nil {
			return err
		}
	}
}

// sampleRoundTrips records a sample of each round trip, and returns the time at which the last one
// ended. It begins and ends with a message under way. While a message is under way, it records the
// previous sample and prepares the next message, so that neither adds to a round trip.
func (w *Worker) sampleRoundTrips(last int64, n uint64, until int64) (int64, error) {
	clock, samples := w.Clock, w.samples
	for ; n > 0; n-- {
		if err := w.pingPong.recycle(); err != nil {
			return last, err
		}
		o := w.prepareNext(w.rotation.nextFlow())
		if err := w.await(); err != nil {
			return last, err
		}
		if w.halt.On() {
			return last, errOver
		}
		now := clock.Now()
		if err := o.fire(); err != nil {
			return last, err
		}
		if !w.rotation.takeMiss() {
			samples.Record(now - last)
		}
		if last = now; now >= until {
			return last, nil
		}
	}
	return last, nil
}

// roundTrips makes n round trips, or those until a time, without samples. It reads the clock after
// every clockEvery messages and after the last one, whose time it returns.
func (w *Worker) roundTrips(n uint64, until int64, clockEvery uint64) (now int64, err error) {
	for unread := uint64(0); n > 0; n-- {
		if err := w.pingPong.recycle(); err != nil {
			return 0, err
		}
		o := w.prepareNext(w.rotation.nextFlow())
		if err := w.await(); err != nil {
			return 0, err
		}
		if w.halt.On() {
			return 0, errOver
		}
		if unread++; unread == clockEvery || n == 1 {
			now = w.Clock.Now()
			w.rate.Add(unread, now)
			unread = 0
		}
		if err := o.fire(); err != nil {
			return 0, err
		}
		if now >= until {
			return now, nil
		}
	}
	return now, nil
}

// pingPongServer answers each message on the QP that it arrived on, until the last message of the
// round has arrived.
func (w *Worker) pingPongServer() error {
	for _, f := range w.flows {
		w.prepareNext(f)
	}
	for k := 0; ; k++ {
		if k == leadIn {
			w.beginMeter()
		}
		if err := w.await(); err != nil {
			return err
		}
		if w.rotation.ended {
			w.endMeter()
			return nil
		}
		f := w.rotation.receivedOn
		w.rotation.sentOn = f
		if w.test.Lossy {
			w.renumberAnswer(f)
		}
		if err := f.out.fire(); err != nil {
			return err
		}
		if err := w.pingPong.recycle(); err != nil {
			return err
		}
		w.prepareNext(f)
		if w.ended() {
			w.endMeter()
			return nil
		}
	}
}

package harness

import (
	"math"
	"time"

	"github.com/ibperf/ibperf/internal/sched"
	"github.com/ibperf/ibperf/oob"
)

// steps are what a ping-pong, or a READ after the other, is made of. They are chosen
// before the clock starts.
type steps struct {
	load   func(o *sender, k uint64) // make message k ready
	tidy   func() error              // what nobody waits for, while a message travels
	arrive func() (bool, error)      // look for the next message, for a while; consume it
	wait   func() error              // called when it had not come
}

// leadIn is how many messages of an exchange go before the clock starts in each round:
// the first ones wake what another way has left asleep.
const leadIn = 8

// exchangeLength is how many messages a counted round of n samples has: a sample is from
// one post to the next, so the last message has none of its own.
func exchangeLength(n uint64) uint64 { return leadIn + n + 1 }

// lead sends first and takes the time: from one post to the next, which is one round trip.
// The clock is read before the post: what the post itself takes is part of the trip that it
// begins, even if the thread loses its CPU meanwhile.
func (w *worker) lead(t oob.Turn) error {
	if err := w.ready(w.turns.next()).fire(); err != nil {
		return err
	}
	w.rate.Start(w.clock.Now())
	if _, err := w.trips(leadIn-1, math.MaxInt64, math.MaxUint64); err != nil {
		return err
	}
	w.beginMeter()
	start, err := w.trips(1, math.MaxInt64, 1)
	if err != nil {
		return err
	}
	if w.rig.plan.Gap > 0 || w.scheme.fetch && !w.scheme.noClock {
		return w.apart(t)
	}
	n, until := extent(t, start)
	err = w.timed(start, n, until)
	w.endMeter()
	if err != nil {
		return err
	}
	return w.finish()
}

// extent is how many samples a turn has, and until when they are taken.
func extent(t oob.Turn, start int64) (n uint64, until int64) {
	if t.Messages == 0 {
		return math.MaxUint64, start + int64(t.Duration)
	}
	return t.Messages, math.MaxInt64
}

// timed measures n exchanges, or those until the time has come. The first of them began
// with a post at start: whatever the thread did since then is part of it.
func (w *worker) timed(start int64, n uint64, until int64) error {
	if !w.scheme.noClock {
		last, err := w.sampled(start, n, until)
		w.lasted = last - start
		return err
	}
	edge := uint64(math.MaxUint64)
	if n == math.MaxUint64 {
		edge = uint64(max(1, min(edgeMessages, edgeBytes/w.scheme.size)))
	}
	w.rate.Start(start)
	_, err := w.trips(n, until, edge)
	return err
}

// finish takes the answer to the last message, which has no sample.
func (w *worker) finish() error {
	if err := w.steps.tidy(); err != nil {
		return err
	}
	return w.await()
}

// ready makes the next message of a lane ready to be posted: its contents and its request.
func (w *worker) ready(l *lane) *sender {
	o := &l.out
	w.steps.load(o, o.sent)
	o.prime()
	return o
}

// leads tells whether this side sends first.
func (w *worker) leads() bool { return w.rig.cfg.Role == Client }

// await returns when the next message has arrived and was consumed, or was given up.
func (w *worker) await() error {
	for waited := false; ; waited = true {
		if here, err := w.steps.arrive(); here || err != nil {
			if waited {
				w.idling = idling{}
			}
			w.turns.inRow = 0
			w.turns.came++
			return err
		}
		if w.scheme.lossy {
			if over, err := w.giveUp(); over || err != nil {
				return err
			}
		}
		if w.ended() {
			return errOver
		}
		if err := w.steps.wait(); err != nil {
			return err
		}
	}
}

// sampled takes a sample of each exchange. It begins and ends with a message on its way.
// While one travels, the sample before it is recorded and the next message is made ready,
// so that neither is part of what is measured. It returns when the last sample ended.
func (w *worker) sampled(last int64, n uint64, until int64) (int64, error) {
	clock, samples := w.clock, w.samples
	for ; n > 0; n-- {
		if err := w.steps.tidy(); err != nil {
			return last, err
		}
		o := w.ready(w.turns.next())
		if err := w.await(); err != nil {
			return last, err
		}
		if w.halt.on() {
			return last, errOver
		}
		now := clock.Now()
		if err := o.fire(); err != nil {
			return last, err
		}
		if !w.turns.takeMiss() {
			samples.Record(now - last)
		}
		if last = now; now >= until {
			return last, nil
		}
	}
	return last, nil
}

// trips is sampled without samples: the clock is read after each edge messages and after
// the last one, whose time it returns.
func (w *worker) trips(n uint64, until int64, edge uint64) (now int64, err error) {
	for unread := uint64(0); n > 0; n-- {
		if err := w.steps.tidy(); err != nil {
			return 0, err
		}
		o := w.ready(w.turns.next())
		if err := w.await(); err != nil {
			return 0, err
		}
		if w.halt.on() {
			return 0, errOver
		}
		if unread++; unread == edge || n == 1 {
			now = w.clock.Now()
			w.rate.Edge(unread, now)
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

// apart takes samples with something between them that is no part of any: a sample begins
// before the post and ends when the answer was consumed. No message is left on its way.
// Samples with a pause before each are taken so, and all of READs and atomic operations: where
// those are done when their post returns, nothing would be hidden by their way.
func (w *worker) apart(t oob.Turn) error {
	if err := w.await(); err != nil {
		return err
	}
	start := w.clock.Now()
	last, err := w.sampledApart(t, start)
	w.lasted = last - start
	return err
}

// sampledApart returns when the last sample ended; the first pause begins at start.
func (w *worker) sampledApart(t oob.Turn, start int64) (end int64, err error) {
	clock, samples, gap := w.clock, w.samples, int64(w.rig.plan.Gap)
	end = start
	n, until := extent(t, start)
	for ; n > 0; n-- {
		if err := w.steps.tidy(); err != nil {
			return end, err
		}
		o := w.ready(w.turns.next())
		if gap > 0 {
			w.sleepUntil(clock.Now() + gap)
		}
		if w.halt.on() {
			return end, errOver
		}
		last := clock.Now()
		if err := o.fire(); err != nil {
			return end, err
		}
		if err := w.await(); err != nil {
			return end, err
		}
		now := clock.Now()
		if !w.turns.takeMiss() {
			samples.Record(now - last)
		}
		if end = now; now >= until {
			return end, nil
		}
	}
	return end, nil
}

// wakeUp is how long before its end a pause stops to sleep and begins to spin.
const wakeUp = int64(100 * time.Microsecond)

// sleepUntil lets the time pass until then, asleep as far as that can be exact, and in slices so
// that a halt ends it.
func (w *worker) sleepUntil(then int64) {
	for left := then - w.clock.Now(); left > 0 && !w.halt.on(); left = then - w.clock.Now() {
		if left > wakeUp {
			sched.Sleep(min(left-wakeUp, int64(eventSlice))) // a signal that cuts it short costs nothing
		}
	}
}

// follow answers each message on the QP that it came on, until the peer is done.
func (w *worker) follow() error {
	for _, l := range w.lanes {
		w.ready(l)
	}
	for k := 0; ; k++ {
		if k == leadIn {
			w.beginMeter()
		}
		if err := w.await(); err != nil {
			return err
		}
		if w.turns.over {
			w.endMeter()
			return nil
		}
		l := w.turns.from
		w.turns.to = l
		if w.scheme.lossy {
			w.answers(l)
		}
		if err := l.out.fire(); err != nil {
			return err
		}
		if err := w.steps.tidy(); err != nil {
			return err
		}
		w.ready(l)
		if w.ended() {
			w.endMeter()
			return nil
		}
	}
}

package loop

import (
	"math"

	"github.com/ibperf/ibperf/harness/internal/stats"
)

// An open loop sends messages at the times of a schedule, whether or not earlier ones were answered, up to a number of
// unanswered ones. The client keeps the schedule, so it spins in all modes; the server waits as its mode does. All
// times are the client's: the response time of a message begins when it is due, even if it is sent later because the
// window was full or the client had lost its CPU, and its service time begins with the post.

// Load says how an open loop kept its schedule.
type Load struct {
	Backlog uint64 // messages by which the sends were behind the schedule at the end
	Growing bool   // the rate is more than the test can reach, see [openLoop.growing]
}

// quarters is the number of parts of a round at whose ends the messages that were due and not answered are compared.
const quarters = 4

// A rate is more than the test can reach if the messages that were due and not answered become more in each quarter, by more than
// growth of those that were due in it, or if the last message is late by more than tooLate of the round.
const (
	growth  = 0.01
	tooLate = 0.25
)

// openLoop is the state of an open loop.
type openLoop struct {
	w        *Worker
	slots    uint64
	times    []messageTimes // of the messages under way, by the position of their QP and their slot
	start    int64
	n        uint64 // messages of the round
	until    int64  // time from which no message is sent
	sent     uint64
	answered uint64
	last     int64 // time of the last answer

	arrived  func(f *Flow) uint64  // messages of a QP that were answered since the size began
	progress func(now int64) int64 // what boundary is compared with
	gaps     []float64
	turn     int     // of the next gap
	fromThen float64 // ns from the start to the next message
	due      int64   // time at which it is due
	flow     *Flow   // of the next message
	next     *sender // the next message, prepared; nil: it has no slot yet

	quarter  int
	boundary int64             // end of the quarter: a number of messages in a counted round, else a time
	step     int64             // from one boundary to the next
	lastSent int64             // time of the last post
	late     int64             // delay of the last message sent
	waiting  [quarters]float64 // messages that were due and not answered at the last post of each quarter; 0: none was posted
	slow     bool              // no message was answered in the first quarter, so waiting says nothing
}

// messageTimes are the times at which a message was due and posted.
type messageTimes struct{ due, posted int64 }

func (w *Worker) newOpenLoop(l Length) *openLoop {
	o := &openLoop{w: w, slots: uint64(w.test.Slots), gaps: w.arrivals.gaps, fromThen: w.arrivals.first, times: make([]messageTimes, len(w.flows)*w.test.Slots)}
	if o.arrived = func(f *Flow) uint64 { return f.in.arrived }; w.test.Fetches {
		o.arrived = func(f *Flow) uint64 { return f.out.finished }
	}
	o.start = w.Clock.Now()
	o.n, o.until = sampleLimit(l, o.start)
	if l.Messages > 0 {
		o.step = max(1, int64(l.Messages)/quarters)
		o.boundary, o.progress = o.step, func(int64) int64 { return int64(o.sent) }
	} else {
		o.step = int64(l.Duration) / quarters
		o.boundary, o.progress = o.start+o.step, func(now int64) int64 { return now }
	}
	o.schedule()
	return o
}

// measureOpenLoop awaits the answer to the last message of the lead-in, and measures the open loop.
func (w *Worker) measureOpenLoop(l Length) error {
	if err := w.await(); err != nil {
		return err
	}
	if err := w.pingPong.recycle(); err != nil {
		return err
	}
	o := w.newOpenLoop(l)
	err := o.run(w.samples, w.serviceTimes)
	if o.answered > 0 {
		w.sampled = span{o.start, o.last}
	}
	w.load = o.result()
	w.endMeter()
	return err
}

// run sends and awaits all messages, and records their response times and service times. It reads the clock in each
// pass, so that a message is late by one pass at most if it has a slot.
func (o *openLoop) run(response, service *stats.Samples) error {
	w, window := o.w, o.w.test.Window
	for o.answered < o.n {
		if w.halt.On() {
			return errOver
		}
		if o.sent < o.n && o.sent-o.answered < window {
			if err := o.sendIfDue(w.Clock.Now()); err != nil {
				return err
			}
		}
		arrived, err := w.pingPong.arrive()
		if err != nil {
			return err
		}
		if arrived {
			t, now := o.take(), w.Clock.Now()
			response.Record(now - t.due)
			service.Record(now - t.posted)
			o.last = now
			if err := w.pingPong.recycle(); err != nil {
				return err
			}
			w.progressed()
			continue
		}
		w.yield()
	}
	return nil
}

// sendIfDue sends the next message if it is due by now.
func (o *openLoop) sendIfDue(now int64) error {
	switch {
	case now >= o.until && o.sent > 0:
		o.n = o.sent
		return nil
	case o.next == nil:
		return o.prepare()
	case now < o.due:
		return nil
	}
	at := &o.times[uint64(o.next.flow.position)*o.slots+o.next.sent%o.slots]
	at.due, at.posted = o.due, now
	o.noteWaiting(now)
	if err := o.next.fire(); err != nil {
		return err
	}
	o.next = nil
	o.sent++
	o.schedule()
	return nil
}

// prepare prepares the next message once its slot is free.
func (o *openLoop) prepare() error {
	out := &o.flow.out
	if out.sent-out.done < o.slots {
		o.next = o.w.prepareNext(o.flow)
		return nil
	}
	_, err := o.w.reapSends()
	return err
}

// schedule sets the QP of the next message and the time at which it is due.
func (o *openLoop) schedule() {
	o.flow = o.w.rotation.nextFlow()
	o.fromThen += o.gaps[o.turn]
	if o.turn++; o.turn == len(o.gaps) {
		o.turn = 0
	}
	o.due = o.start + int64(o.fromThen)
}

// take returns the times of the message whose answer has arrived.
func (o *openLoop) take() messageTimes {
	f := o.w.rotation.receivedOn
	o.w.rotation.arrived++
	o.answered++
	return o.times[uint64(f.position)*o.slots+(o.arrived(f)-1)%o.slots]
}

// noteWaiting notes how many messages are due and not answered when a message is sent.
func (o *openLoop) noteWaiting(now int64) {
	for o.progress(now) >= o.boundary && o.quarter < quarters-1 {
		o.slow = o.slow || o.answered == 0
		o.quarter++
		o.boundary += o.step
	}
	o.lastSent, o.late = now, now-o.due
	o.waiting[o.quarter] = float64(o.late)/o.w.arrivals.interval + float64(o.sent-o.answered)
}

// result says how the schedule was kept until the last message was sent, or until the end of a timed round: the messages that
// were due then are not sent.
func (o *openLoop) result() Load {
	end, delay := o.lastSent, o.late
	if o.until != math.MaxInt64 {
		end = min(o.until, o.w.Clock.Now())
		delay = max(delay, end-o.due)
	}
	backlog := min(float64(delay)/o.w.arrivals.interval, float64(o.n))
	return Load{Backlog: uint64(max(0, backlog)), Growing: o.growing(float64(delay) / float64(end-o.start))}
}

// growing reports whether the rate is more than the test can reach. part is the delay of the last message, as a part of the
// round. A stall of the host makes more messages wait in one quarter, and fewer in the next.
func (o *openLoop) growing(part float64) bool {
	if part > tooLate {
		return true
	}
	if o.slow || o.quarter < quarters-2 {
		return false
	}
	before, least := 0.0, max(1, growth*o.dueInQuarter())
	for _, waiting := range o.waiting[:o.quarter+1] {
		if waiting-before <= least {
			return false
		}
		before = waiting
	}
	return true
}

// dueInQuarter returns the number of messages that are due in a quarter of the round.
func (o *openLoop) dueInQuarter() float64 {
	if o.until == math.MaxInt64 {
		return float64(o.step)
	}
	return float64(o.step) / o.w.arrivals.interval
}

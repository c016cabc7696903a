package loop

import (
	"errors"
	"math"
	"time"

	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/internal/sched"
)

// Begin makes the worker ready for a round.
func (w *Worker) Begin(l Length, ticks *clock.Clock) error {
	c, role := w.test, w.cfg.Role
	w.Clock, w.meter, w.idling, w.parts, w.Sent = ticks, meter{}, idling{}, nil, make(chan uint64, 1)
	w.CPU = affinity.NoCPU
	w.arrivals.begin(w)
	w.stall = StallLimit + w.group.ConsumeTime() + 2*w.set.Plan.Gap + 2*c.BurstTime() + w.arrivals.longest()
	w.recorder.reset()
	for _, f := range w.flows {
		f.beginRound(c)
		if err := f.in.checkCount(); err != nil {
			return err
		}
		f.in.allowed = l.receives() - uint64(f.in.posted)
	}
	w.postedBefore = w.posted()
	w.expectAny()
	w.rotation = rotation{order: w.rotation.order}
	if l.Messages > 0 && c.Receivers.Has(role) && !c.Lossy {
		w.Expect(w.plannedMessages(l))
	}
	w.sleep.selectCQs(w)
	w.chooseLoop(l)
	return w.sleep.discardOldEvents()
}

// plannedMessages returns the number of messages that the peer sends in a counted round.
func (w *Worker) plannedMessages(l Length) uint64 {
	if w.test.PingPong && !w.test.Exact {
		return pingPongMessages(l.Messages)
	}
	return l.Messages * uint64(len(w.flows))
}

// Run runs the worker's loop in a thread of its own, on the CPU unless cpu is affinity.NoCPU.
func (w *Worker) Run(cpu int) error {
	if w.loop == nil {
		return nil
	}
	release := affinity.LockThread(cpu)
	defer release()
	err := w.loop()
	w.stall = 0
	w.endMeter()
	w.CPU = affinity.CurrentCPU()
	if errors.Is(err, errOver) {
		err = w.halt.Reason()
	}
	return err
}

// chooseLoop chooses the loop that the worker runs: none if it neither sends nor receives.
func (w *Worker) chooseLoop(l Length) {
	c, role := w.test, w.cfg.Role
	sends, receives := c.Senders.Has(role), c.Receivers.Has(role)
	w.loop = nil
	w.chooseRest(sends)
	switch {
	case c.PingPong && !sends:
	case c.PingPong && c.Exact:
		w.chooseCalls()
		w.loop = func() error {
			defer w.reportSent()
			return w.exactPingPong(l)
		}
		return
	case c.PingPong:
		w.chooseCalls()
		w.loop = w.pingPongServer
		if role == testcase.Client {
			w.loop = func() error {
				defer w.reportSent()
				return w.pingPongClient(l)
			}
			return
		}
	case sends || receives:
		w.chooseParts(l, sends, receives)
		w.loop = func() error { return w.streamFor(l.Duration) }
		if sends {
			return
		}
	}
	w.reportSent() // a server's answers are not counted, and a receiver sends nothing
}

// chooseParts makes the parts of a stream. The part whose clock counts records in w.rate.
func (w *Worker) chooseParts(l Length, sends, receives bool) {
	atSender, atReceiver := w.rate, w.reverseRate
	if w.test.MeasuredAt == "receiver" {
		atSender, atReceiver = w.reverseRate, w.rate
	}
	if sends {
		w.parts = append(w.parts, w.sending(l, atSender))
	}
	if receives {
		w.parts = append(w.parts, w.receiving(l, atReceiver))
	}
}

// ConsumeTime returns an upper bound of the time to consume all messages that the rings hold, at
// 50 MB/s.
func (g *Group) ConsumeTime() time.Duration {
	c := g.Workers[0].test
	return time.Duration(c.Size) * time.Duration(c.Slots*len(g.Flows())) * 20 * time.Nanosecond
}

// Length is the length of a round: a number of messages of each QP, or a duration.
type Length struct {
	Messages uint64
	Duration time.Duration
}

// receives returns the number of receives that the messages of a QP take at most.
func (l Length) receives() uint64 {
	if l.Messages == 0 {
		return math.MaxUint64
	}
	return l.Messages
}

// Spent holds the CPU and wall time, and the context switches, of a worker's thread in a round.
type Spent struct {
	CPU, Wall         int64 // ns
	Sleeps, Preempted int64
}

// Cost returns what the worker's thread spent in the round, and the drift of its clock in millionths.
func (w *Worker) Cost() (s Spent, drift float64) { return w.meter.Spent, w.Clock.Drift() }

// meter measures what a worker's thread spends from the first to the last message that counts. It
// leaves out the wait for the peer's number of messages.
type meter struct {
	Spent
	running bool
	waits   int64 // voluntary context switches
}

// beginMeter begins the measurement.
func (w *Worker) beginMeter() {
	lost, waits := sched.Switches()
	w.meter = meter{running: true, waits: -waits}
	w.meter.Spent = Spent{CPU: -clock.ThreadCPU(), Preempted: -lost, Sleeps: -int64(w.sleep.events)}
	w.meter.Wall = -w.Clock.Now()
}

// endMeter ends the measurement; later calls do nothing. Time after the last progress does not count.
func (w *Worker) endMeter() {
	m := &w.meter
	if !m.running {
		return
	}
	m.running = false
	lost, waits := sched.Switches()
	end := Spent{Wall: w.Clock.Now(), CPU: clock.ThreadCPU(), Preempted: lost}
	if last := w.idling.lastProgress; last.Wall != 0 {
		end = last
	}
	m.Wall += end.Wall
	m.CPU += end.CPU
	m.Preempted += end.Preempted
	m.waits += waits
	m.Sleeps = min(m.Sleeps+int64(w.sleep.events), m.waits)
}

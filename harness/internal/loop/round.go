package loop

import (
	"errors"
	"math"
	"time"

	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/harness/internal/testcase"
)

// Begin makes the worker ready for a round.
func (w *Worker) Begin(l Length, ticks *clock.Clock) error {
	c, role := w.test, w.cfg.Role
	w.Clock, w.meter, w.idling, w.parts, w.Sent = ticks, meter{}, idling{}, nil, make(chan uint64, 1)
	w.CPU = affinity.NoCPU
	w.stall = StallLimit + w.group.ConsumeTime() + 2*w.set.Plan.Gap + 2*c.BurstTime()
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

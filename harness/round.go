package harness

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
)

// A round measures one way for a short while: prepare, meet, run the loops, swap what was
// measured. When it ends all messages have arrived, and were consumed if anybody looks.

// lastMessages is how long messages may stay out after the sender has seen all
// of them completed.
const lastMessages = 5 * time.Second

// round runs this side of the turn and returns what both sides measured.
func (s *session) round(g *group, t oob.Turn) (mine, theirs oob.Round, err error) {
	defer g.rest()
	for _, w := range g.workers {
		if err := w.begin(t, s.newClock()); err != nil {
			return mine, theirs, err
		}
	}
	if g.workers[0].scheme.bothWays() {
		if s.clocks, err = alignClocks(s.peer, g.workers[0].clock); err != nil {
			return mine, theirs, err
		}
	}
	if err := s.peer.Ready(); err != nil {
		return mine, theirs, err
	}
	err = s.drive(g)
	mine = g.result()
	if err != nil {
		return mine, theirs, err
	}
	for _, w := range g.workers {
		if err := w.restock(); err != nil {
			return mine, theirs, err
		}
	}
	mine.Stop = s.stopping()
	if theirs, err = s.peer.Result(mine); err != nil {
		return mine, theirs, err
	}
	if bad := theirs.Check(s.limits(g.workers[0].scheme)); bad != nil {
		return mine, oob.Round{}, &oob.MessageError{Step: "result", Err: bad}
	}
	s.stopped = mine.Stop || theirs.Stop
	return mine, theirs, nil
}

// newClock returns the clock of a worker for one round.
func (s *session) newClock() *clock.Clock {
	if s.cfg.Clock != nil {
		return s.cfg.Clock()
	}
	return clock.New()
}

// begin makes the worker ready for a round.
func (w *worker) begin(t oob.Turn, c *clock.Clock) error {
	s, role := w.scheme, w.rig.cfg.Role
	w.clock, w.meter, w.idling, w.parts, w.over = c, meter{}, idling{}, nil, make(chan uint64, 1)
	w.place = noCPU
	w.stall = stallLimit + w.group.consuming() + 2*w.rig.plan.Gap + 2*s.burstTime()
	w.recorder.reset()
	for _, l := range w.lanes {
		l.prepare(s)
	}
	w.before = w.sent()
	w.expectAny()
	w.turns = turns{order: w.turns.order}
	if t.Messages > 0 && s.in.has(role) && !s.lossy {
		w.expect(w.announced(t))
	}
	w.sleep.watch(w)
	w.choose(t)
	return w.sleep.begin()
}

// announced is how many messages will come in a counted round.
func (w *worker) announced(t oob.Turn) uint64 {
	if w.scheme.exchange {
		return exchangeLength(t.Messages)
	}
	return t.Messages * uint64(len(w.lanes))
}

// choose decides which loop the worker runs, nil if it has no part in the round.
func (w *worker) choose(t oob.Turn) {
	s, role := w.scheme, w.rig.cfg.Role
	sends, receives := s.out.has(role), s.in.has(role)
	w.drive = nil
	switch {
	case s.exchange && !sends:
	case s.exchange:
		w.chooseSteps()
		w.drive = w.follow
		if role == Client {
			w.drive = func() error {
				defer w.end()
				return w.lead(t)
			}
			return
		}
	case sends || receives:
		w.chooseParts(t, sends, receives)
		w.drive = func() error { return w.streamFor(t.Duration) }
		if sends {
			return
		}
	}
	w.end() // it sends nothing of its own accord
}

// chooseParts makes the parts of a stream.
func (w *worker) chooseParts(t oob.Turn, sends, receives bool) {
	atSender, atReceiver := w.rate, w.other
	if w.scheme.at == "receiver" { // whose clock counts
		atSender, atReceiver = w.other, w.rate
	}
	if sends {
		w.parts = append(w.parts, w.sending(t, atSender))
	}
	if receives {
		w.parts = append(w.parts, w.receiving(t, atReceiver))
	}
}

// drive runs the loops of all workers, each in a thread of its own. A side that has sent
// all that it will tells the other how much that was.
func (s *session) drive(g *group) error {
	told := make(chan ending, 1)
	go func() { told <- s.finish(g) }()
	var others sync.WaitGroup
	errs := make([]error, len(g.workers))
	for i, w := range g.workers[1:] {
		others.Go(func() { errs[i+1] = s.driveOne(w) })
	}
	errs[0] = s.driveOne(g.workers[0])
	others.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	select {
	case end := <-told:
		if end.deadline != nil {
			end.deadline.Stop()
		}
		return end.err
	case <-s.halt.told:
		return s.halt.reason()
	}
}

// driveOne runs the loop of one worker in a thread of its own.
func (s *session) driveOne(w *worker) error {
	if w.drive == nil {
		return nil
	}
	release := ownThread(s.cpu)
	defer release()
	err := w.drive()
	w.stall = 0
	w.endMeter()
	w.place = currentCPU()
	if errors.Is(err, errOver) {
		err = s.halt.reason()
	}
	return s.fail(err)
}

// ending is what a side knows once both have sent all: from then on the last messages have
// a deadline.
type ending struct {
	deadline *time.Timer
	err      error
}

// finish swaps how many messages were sent.
func (s *session) finish(g *group) ending {
	sent := make([]uint64, len(g.workers))
	for i, w := range g.workers {
		select {
		case sent[i] = <-w.over:
		case <-s.halt.told:
			return ending{err: s.halt.reason()}
		}
	}
	theirs, err := s.peer.Finish(sent)
	if err == nil && len(theirs) != len(sent) {
		err = wrong("finish", "%d workers where there are %d", len(theirs), len(sent))
	}
	if err != nil {
		s.halt.set(err) // the loops wait for a number that will not come
		return ending{err: err}
	}
	if s.halt.on() {
		return ending{err: s.halt.reason()}
	}
	for i, w := range g.workers {
		w.expect(theirs[i])
	}
	if g.workers[0].scheme.lossy {
		return ending{}
	}
	limit := lastMessages + g.consuming()
	late := fmt.Errorf("mode %s, %d bytes: the peer sent all messages, and some of them did not arrive within %v", g.way, g.workers[0].scheme.size, limit)
	timer := time.AfterFunc(limit, func() { s.halt.set(late) })
	return ending{deadline: timer}
}

// consuming is how long it may take to consume what the rings hold: 50 MB/s are slow.
func (g *group) consuming() time.Duration {
	s := g.workers[0].scheme
	return time.Duration(s.size) * time.Duration(s.slots*len(g.lanes())) * 20 * time.Nanosecond
}

// fail makes an error of this side's loop the reason of the halt, unless there is
// one: what follows from it, here and at the peer, must not hide it.
func (s *session) fail(err error) error {
	if err != nil {
		s.halt.set(s.cause(err))
	}
	return err
}

// peerVerdict is how long the control channel may take to notice that the peer
// is gone: longer than it waits for a heartbeat.
const peerVerdict = 4500 * time.Millisecond

// deviceVerdict is how long the device may take to tell of its trouble after
// work has failed by it.
const deviceVerdict = 100 * time.Millisecond

// cause returns why work failed, if the device or the control channel tells so
// soon after: it may be what the loss of the port or of the peer looks like.
func (s *session) cause(err error) error {
	var verb *verbs.OpError
	var status *verbs.StatusError
	wait := deviceVerdict
	switch {
	case errors.As(err, &verb) && (verb.Errno == syscall.EIO || verb.Errno == syscall.ENODEV):
		err = &DeviceError{err}
	case !errors.As(err, &status):
		return err
	case slices.Contains(lossStatuses, status.Status):
		wait = peerVerdict
	}
	select {
	case <-s.peer.Lost():
		return s.peer.Err()
	case <-s.halt.told:
		return s.halt.reason()
	case <-time.After(wait):
		return err
	}
}

// lossStatuses are what completions say when the peer is gone.
var lossStatuses = []verbs.WCStatus{verbs.WCWRFlushErr, verbs.WCRetryExcErr, verbs.WCRNRRetryExcErr, verbs.WCRemOpErr}

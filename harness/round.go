package harness

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/harness/internal/loop"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
)

// A round measures one mode for a short time. Each side prepares its workers, waits for the peer, runs
// the loops and exchanges results. At its end all messages have arrived, and were consumed if the test
// consumes them.

// runRound runs this side of a round and returns the measurements of both sides.
func (s *session) runRound(g *loop.Group, step oob.Step) (mine, theirs oob.Round, err error) {
	defer g.AckEvents()
	for _, w := range g.Workers {
		if err := w.Begin(loop.Length{Messages: step.Messages, Duration: step.Duration}, s.newClock()); err != nil {
			return mine, theirs, err
		}
	}
	if g.Test().Bidirectional() {
		if s.alignment, err = alignClocks(s.peer, g.Workers[0].Clock); err != nil {
			return mine, theirs, err
		}
	}
	if err := s.peer.Ready(); err != nil {
		return mine, theirs, err
	}
	err = s.runLoops(g, s.cpusOf(s.decision.modes[step.Mode].mode))
	mine = s.roundResult(g)
	if err != nil {
		return mine, theirs, err
	}
	for _, w := range g.Workers {
		if err := w.Restock(); err != nil {
			return mine, theirs, err
		}
	}
	mine.Stop = s.stopping()
	if theirs, err = s.peer.Result(mine); err != nil {
		return mine, theirs, err
	}
	if bad := theirs.Check(s.limits(g.Test())); bad != nil {
		return mine, oob.Round{}, &oob.MessageError{Exchange: "result", Err: bad}
	}
	s.stopped = mine.Stop || theirs.Stop
	return mine, theirs, nil
}

// newClock creates the clock of a worker for one round.
func (s *session) newClock() *clock.Clock {
	if s.cfg.Clock != nil {
		return s.cfg.Clock()
	}
	return clock.New()
}

// runLoops runs the loops of all workers, each in a thread of its own on a CPU. Meanwhile both sides
// exchange the numbers of messages that they have sent.
func (s *session) runLoops(g *loop.Group, cpus []int) error {
	exchanged := make(chan sentExchange, 1)
	go func() { exchanged <- s.exchangeSent(g) }()
	errs := make([]error, len(g.Workers))
	s.threads.run(func(i int) { errs[i] = s.haltOn(g.Workers[i].Run(cpus[i])) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	select {
	case end := <-exchanged:
		if end.deadline != nil {
			end.deadline.Stop()
		}
		return end.err
	case <-s.halt.Halted():
		return s.halt.Reason()
	}
}

// sentExchange is the result of exchangeSent.
type sentExchange struct {
	deadline *time.Timer // halts the run if the last messages do not arrive in time; nil: none
	err      error
}

// exchangeSent waits until the workers have sent their messages, exchanges the numbers of sent messages
// with the peer, and sets a deadline for the last ones to arrive.
func (s *session) exchangeSent(g *loop.Group) sentExchange {
	sent := make([]uint64, len(g.Workers))
	for i, w := range g.Workers {
		select {
		case sent[i] = <-w.Sent:
		case <-s.halt.Halted():
			return sentExchange{err: s.halt.Reason()}
		}
	}
	theirs, err := s.peer.Finish(sent)
	if err == nil && len(theirs) != len(sent) {
		err = protocolError("finish", "%d workers instead of %d", len(theirs), len(sent))
	}
	if err != nil {
		s.halt.Set(err) // the loops wait for a number that will not arrive
		return sentExchange{err: err}
	}
	if s.halt.On() {
		return sentExchange{err: s.halt.Reason()}
	}
	for i, w := range g.Workers {
		w.Expect(theirs[i])
	}
	if g.Test().Lossy || g.Test().Exact {
		return sentExchange{}
	}
	limit := loop.LastMessages + g.ConsumeTime()
	late := fmt.Errorf("mode %s, %d bytes: some messages did not arrive within %v after the peer had sent them all", g.Mode, g.Test().Size, limit)
	timer := time.AfterFunc(limit, func() { s.halt.Set(late) })
	return sentExchange{deadline: timer}
}

// haltOn halts the run because of an error of this side's loop, and returns the error. The consequences
// of the error, here and at the peer, must not hide it, so the cause of the first error is kept.
func (s *session) haltOn(err error) error {
	if err != nil {
		s.halt.Set(s.awaitCause(err))
	}
	return err
}

// lossDetectTimeout is the time within which the control channel detects a lost peer. It is longer than
// the wait for a heartbeat.
const lossDetectTimeout = 4500 * time.Millisecond

// asyncEventTimeout is the time within which the device raises an event that explains a failure.
const asyncEventTimeout = 100 * time.Millisecond

// awaitCause returns the cause of a failed verb or completion. It waits for the device or the control
// channel to report the loss of the port or of the peer, which may be the cause.
func (s *session) awaitCause(err error) error {
	var verb *verbs.OpError
	var status *verbs.StatusError
	wait := asyncEventTimeout
	switch {
	case errors.As(err, &verb) && (verb.Errno == syscall.EIO || verb.Errno == syscall.ENODEV):
		err = &DeviceError{Err: err}
	case verb != nil && verb.Errno == syscall.ETIMEDOUT: // of a QP that finds no peer when it is connected
		wait = lossDetectTimeout
	case !errors.As(err, &status):
		return err
	case slices.Contains(lossStatuses, status.Status):
		wait = lossDetectTimeout
	}
	select {
	case <-s.peer.Lost():
		return s.peer.Err()
	case <-s.halt.Halted():
		return s.halt.Reason()
	case <-time.After(wait):
		return err
	}
}

// lossStatuses lists the completion statuses that a lost peer causes.
var lossStatuses = []verbs.WCStatus{verbs.WCWRFlushErr, verbs.WCRetryExcErr, verbs.WCRNRRetryExcErr, verbs.WCRemOpErr}

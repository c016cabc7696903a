package verbstest

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var chnStatements = []statement{
	{"CHN-1", "the descriptor is readable while an event is queued; a channel in use is busy", channelDescriptor},
	{"CHN-2", "a CQ that was never armed raises no event", neverArmed},
	{"CHN-3", "an armed CQ raises one event, which names it, at the next completion", oneEvent},
	{"CHN-4", "after its event a CQ is not armed", oneShot},
	{"CHN-5", "completions from before the arm do not count, the next one does", fromBefore},
	{"CHN-6", "arming twice is arming once", armedTwice},
	{"CHN-7", "armed for solicited completions, only receives of solicited messages count", solicited},
	{"CHN-8", "armed for solicited completions, failures count", failuresAreSolicited},
	{"CHN-9", "armed for any and for solicited completions, any counts", strongestArm},
	{"CHN-10", "event, ack, arm, poll until empty: no completion is lost", noLostWakeUp},
	{"CHN-11", "a completion between the last poll and the arm raises no event, and can be polled", gapBeforeArm},
	{"CHN-12", "waiting for an event ends at its timeout", getEventTimeout},
	{"CHN-13", "destroying a CQ waits until its events are acknowledged", destroyWaitsForAck},
	{"CHN-14", "an event that was not fetched does not delay destroying its CQ, and is discarded with it", unfetchedEvent},
	{"CHN-15", "several events are acknowledged at once, and all of them have to be", ackTogether},
	{"CHN-16", "a channel serves several CQs", sharedChannel},
	{"CHN-17", "an event takes no completion away", eventTakesNothing},
	{"CHN-18", "several threads wait on a channel: each event comes to one of them, each wait ends in time", manyWaiters},
}

// channelPair makes a pair. b has posted receives, and its receive CQ has a channel.
func (e *env) channelPair() (a, b *side) {
	e.Helper()
	c := conf()
	c.Channel = true
	a, b = e.pair(c)
	for range depth {
		b.PostRecv(recv{})
	}
	return a, b
}

// sends sends n empty messages and waits until they are acknowledged.
func (s *side) sends(n int, flags verbs.SendFlags) {
	s.Helper()
	for range n {
		s.Post(send{Op: opSend, Flags: flags | signaled})
	}
	s.SendCQ.Next(n)
}

// readable reports whether the channel's descriptor is readable within the time.
func (s *side) readable(wait time.Duration) bool {
	s.Helper()
	fds := []unix.PollFd{{Fd: int32(s.Channel.FD()), Events: unix.POLLIN}}
	return fixture.Until(wait, func() bool {
		n, err := unix.Poll(fds, 1)
		if err != unix.EINTR { // from signals of the Go runtime
			s.ok(err)
		}
		return n == 1
	})
}

// event fetches and acknowledges an event of the CQ.
func (s *side) event(of *queue) {
	s.Helper()
	cq, err := s.Channel.GetEvent(fixture.WaitTimeout)
	s.ok(err)
	cq.AckEvents(1)
	if cq != of.CQ {
		s.Error("the event is another CQ's")
	}
}

// noEvent checks that the channel gets no event within the time Quiet.
func (s *side) noEvent() {
	s.Helper()
	if cq, err := s.Channel.GetEvent(fixture.Quiet); err == nil {
		cq.AckEvents(1)
		s.Error("unexpected event")
	} else if !errors.Is(err, verbs.ErrTimeout) {
		s.Error(err)
	}
}

func channelDescriptor(e *env) {
	a, b := e.channelPair()
	e.refused("destroy_comp_channel", b.Channel.Close(), syscall.EBUSY)
	if b.readable(0) {
		e.Error("readable without an event")
	}
	b.RecvCQ.Arm(false)
	a.sends(1, 0)
	if !b.readable(fixture.WaitTimeout) {
		e.Error("not readable with an event")
	}
	b.event(b.RecvCQ)
	if b.readable(0) {
		e.Error("readable after the event")
	}
	ch, err := b.Ctx.CreateCompChannel()
	e.ok(err)
	e.ok(ch.Close())
}

func neverArmed(e *env) {
	a, b := e.channelPair()
	a.sends(3, verbs.SendSolicited)
	b.noEvent()
}

func oneEvent(e *env) {
	a, b := e.channelPair()
	for range 3 {
		b.RecvCQ.Arm(false)
		a.sends(1, 0)
		b.event(b.RecvCQ)
		b.noEvent()
	}
}

func oneShot(e *env) {
	a, b := e.channelPair()
	b.RecvCQ.Arm(false)
	a.sends(1, 0)
	b.event(b.RecvCQ)
	a.sends(3, 0)
	b.noEvent()
}

// before sends n messages and waits until their completions are in the receiver's CQ: the
// sender's completion may be earlier than the receiver's.
func (s *side) before(receiver *side, n int) {
	s.Helper()
	s.sends(n, 0)
	receiver.noEvent()
}

func fromBefore(e *env) {
	a, b := e.channelPair()
	a.before(b, 2)
	b.RecvCQ.Arm(false)
	left := 3
	if b.atOnce() {
		b.event(b.RecvCQ)
		b.RecvCQ.Next(2)
		left = 1
		b.RecvCQ.Arm(false)
	}
	a.sends(1, 0)
	b.event(b.RecvCQ)
	b.RecvCQ.Next(left)
}

// atOnce reports whether arming a CQ that holds completions has raised an event, which only devices
// with the quirk may do.
func (s *side) atOnce() bool {
	s.Helper()
	early := s.readable(4 * fixture.Quiet)
	checkEither(s.env, "M3", "an event for completions from before the arm", early, false, true)
	return early
}

func armedTwice(e *env) {
	a, b := e.channelPair()
	b.RecvCQ.Arm(false)
	b.RecvCQ.Arm(false)
	a.sends(2, 0)
	b.event(b.RecvCQ)
	b.noEvent()
}

func solicited(e *env) {
	a, b := e.channelPair()
	b.RecvCQ.Arm(true)
	a.sends(2, 0)
	a.Post(send{Flags: verbs.SendSolicited | signaled}.Toward(b, 0)) // WRITE takes no receive
	a.SendCQ.Next(1)
	b.noEvent()
	b.SendCQ.Arm(true)
	b.Post(send{Flags: signaled}.Toward(a, 0))
	b.SendCQ.Next(1)
	b.noEvent()
	for _, op := range []verbs.Opcode{opSend, opSendImm, opWriteImm} {
		b.RecvCQ.Arm(true)
		a.Post(send{Op: op, Flags: verbs.SendSolicited | signaled}.Toward(b, 0))
		a.SendCQ.Next(1)
		b.event(b.RecvCQ)
	}
}

func failuresAreSolicited(e *env) {
	e.sub("flushed receives", func(e *env) {
		a, b := e.channelPair()
		b.RecvCQ.Arm(true)
		b.To(verbs.QPErr, a)
		b.solicitedEvent("Q35")
	})
	e.sub("failed send", func(e *env) {
		a, b := e.channelPair()
		a.SendCQ.Arm(true)
		w := send{ID: 1, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0)
		w.RKey ^= 0x100
		a.Post(w)
		a.SendCQ.Expect(1, verbs.WCRemAccessErr)
		a.solicitedEvent("Q09")
	})
}

// solicitedEvent checks that there is an event, or with the quirk that there is no event.
func (s *side) solicitedEvent(quirk string) {
	s.Helper()
	limit := fixture.WaitTimeout
	if s.hasQuirk(quirk) {
		limit = 4 * fixture.Quiet
	}
	cq, err := s.Channel.GetEvent(limit)
	if err == nil {
		cq.AckEvents(1)
	}
	checkValue(s.env, quirk, "an event", err == nil, true, false)
}

func strongestArm(e *env) {
	a, b := e.channelPair()
	for _, order := range [][2]bool{{true, false}, {false, true}} {
		b.RecvCQ.Arm(order[0])
		b.RecvCQ.Arm(order[1])
		a.sends(1, 0)
		b.event(b.RecvCQ)
	}
}

func gapBeforeArm(e *env) {
	a, b := e.channelPair()
	b.RecvCQ.ExpectEmpty()
	a.before(b, 1)
	b.RecvCQ.Arm(false)
	if b.atOnce() {
		b.event(b.RecvCQ)
	}
	b.RecvCQ.Next(1)
}

package verbstest

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
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
	{"CHN-14", "an event that nobody fetched does not hold up destroying its CQ, and goes with it", unfetchedEvent},
	{"CHN-15", "several events are acknowledged at once, and all of them have to be", ackTogether},
	{"CHN-16", "a channel serves several CQs", sharedChannel},
	{"CHN-17", "an event takes no completion away", eventTakesNothing},
	{"CHN-18", "several threads wait on a channel: each event comes to one of them, each wait ends in time", manyWaiters},
}

// channelPair is a pair of which b has receives posted and the receive CQ is
// the one to be armed.
func (e *env) channelPair() (a, b *side) {
	e.Helper()
	c := conf()
	c.channel = true
	a, b = e.pair(c)
	for range depth {
		b.recv(recv{})
	}
	return a, b
}

// sends sends n empty messages and waits until they are acknowledged.
func (s *side) sends(n int, flags verbs.SendFlags) {
	s.Helper()
	for range n {
		s.post(send{op: opSend, flags: flags | signaled})
	}
	s.sendCQ.next(n)
}

func (q *queue) arm(solicitedOnly bool) {
	q.e.Helper()
	q.e.ok(q.ReqNotify(solicitedOnly))
}

// readable tells whether the channel's descriptor is, or comes to be.
func (s *side) readable(wait time.Duration) bool {
	s.Helper()
	fds := []unix.PollFd{{Fd: int32(s.ch.FD()), Events: unix.POLLIN}}
	return until(wait, func() bool {
		n, err := unix.Poll(fds, 1)
		if err != unix.EINTR { // as the runtime's own signals make it
			s.ok(err)
		}
		return n == 1
	})
}

// event fetches and acknowledges an event of the CQ.
func (s *side) event(of *queue) {
	s.Helper()
	cq, err := s.ch.GetEvent(patience)
	s.ok(err)
	cq.AckEvents(1)
	if cq != of.CQ {
		s.Error("the event is another CQ's")
	}
}

// noEvent checks that none comes for a while.
func (s *side) noEvent() {
	s.Helper()
	if cq, err := s.ch.GetEvent(quiet); err == nil {
		cq.AckEvents(1)
		s.Error("unexpected event")
	} else if !errors.Is(err, verbs.ErrTimeout) {
		s.Error(err)
	}
}

func channelDescriptor(e *env) {
	a, b := e.channelPair()
	e.refused("destroy_comp_channel", b.ch.Close(), syscall.EBUSY)
	if b.readable(0) {
		e.Error("readable without an event")
	}
	b.recvCQ.arm(false)
	a.sends(1, 0)
	if !b.readable(patience) {
		e.Error("not readable with an event")
	}
	b.event(b.recvCQ)
	if b.readable(0) {
		e.Error("readable after the event")
	}
	ch, err := b.ctx.CreateCompChannel()
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
		b.recvCQ.arm(false)
		a.sends(1, 0)
		b.event(b.recvCQ)
		b.noEvent()
	}
}

func oneShot(e *env) {
	a, b := e.channelPair()
	b.recvCQ.arm(false)
	a.sends(1, 0)
	b.event(b.recvCQ)
	a.sends(3, 0)
	b.noEvent()
}

// before sends messages whose completions are in the receiver's CQ when it
// returns: the sender's completion may come a moment earlier than those.
func (s *side) before(receiver *side, n int) {
	s.Helper()
	s.sends(n, 0)
	receiver.noEvent()
}

func fromBefore(e *env) {
	a, b := e.channelPair()
	a.before(b, 2)
	b.recvCQ.arm(false)
	b.noEvent()
	a.sends(1, 0)
	b.event(b.recvCQ)
	b.recvCQ.next(3)
}

func armedTwice(e *env) {
	a, b := e.channelPair()
	b.recvCQ.arm(false)
	b.recvCQ.arm(false)
	a.sends(2, 0)
	b.event(b.recvCQ)
	b.noEvent()
}

func solicited(e *env) {
	a, b := e.channelPair()
	b.recvCQ.arm(true)
	a.sends(2, 0)
	a.post(send{flags: verbs.SendSolicited | signaled}.toward(b, 0)) // WRITE takes no receive
	a.sendCQ.next(1)
	b.noEvent()
	b.sendCQ.arm(true)
	b.post(send{flags: signaled}.toward(a, 0))
	b.sendCQ.next(1)
	b.noEvent()
	for _, op := range []verbs.Opcode{opSend, opSendImm, opWriteImm} {
		b.recvCQ.arm(true)
		a.post(send{op: op, flags: verbs.SendSolicited | signaled}.toward(b, 0))
		a.sendCQ.next(1)
		b.event(b.recvCQ)
	}
}

func failuresAreSolicited(e *env) {
	e.sub("flushed receives", func(e *env) {
		a, b := e.channelPair()
		b.recvCQ.arm(true)
		b.to(verbs.QPErr, a)
		b.solicitedEvent("Q35")
	})
	e.sub("failed send", func(e *env) {
		a, b := e.channelPair()
		a.sendCQ.arm(true)
		w := send{id: 1, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
		w.rkey ^= 0x100
		a.post(w)
		a.sendCQ.gives(1, verbs.WCRemAccessErr)
		a.solicitedEvent("Q09")
	})
}

// solicitedEvent checks that an event comes, or with the quirk that none does.
func (s *side) solicitedEvent(quirk string) {
	s.Helper()
	limit := patience
	if s.quirk(quirk) {
		limit = 4 * quiet
	}
	cq, err := s.ch.GetEvent(limit)
	if err == nil {
		cq.AckEvents(1)
	}
	agree(s.env, quirk, "an event", err == nil, true, false)
}

func strongestArm(e *env) {
	a, b := e.channelPair()
	for _, order := range [][2]bool{{true, false}, {false, true}} {
		b.recvCQ.arm(order[0])
		b.recvCQ.arm(order[1])
		a.sends(1, 0)
		b.event(b.recvCQ)
	}
}

func gapBeforeArm(e *env) {
	a, b := e.channelPair()
	b.recvCQ.empty()
	a.before(b, 1)
	b.recvCQ.arm(false)
	if b.readable(4 * quiet) {
		e.Error("event for a completion from before the arm")
	}
	b.recvCQ.next(1)
}

package shm_test

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// chanPair is a pair of which b sleeps on its receive CQ.
func chanPair(t *testing.T) (a, b *side) {
	t.Helper()
	c := conf()
	c.channel = true
	a, b = pair(t, c)
	for range 32 {
		b.mustRecv(t, recv{})
	}
	return a, b
}

func (s *side) sendSome(t *testing.T, n int, flags verbs.SendFlags) {
	t.Helper()
	for range n {
		s.mustPost(t, send{op: verbs.OpSend, flags: flags | verbs.SendSignaled})
	}
	poll(t, s.sendCQ, n)
}

// readable tells whether the channel's descriptor is.
func readable(t testing.TB, ch verbs.CompChannel, wait time.Duration) bool {
	t.Helper()
	fds := []unix.PollFd{{Fd: int32(ch.FD()), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, int(wait/time.Millisecond))
	noError(t, err)
	return n == 1
}

// wantEvents fetches and acknowledges exactly n events of the CQ.
func wantEvents(t testing.TB, ch verbs.CompChannel, cq verbs.CQ, n int) {
	t.Helper()
	for i := range n {
		got, err := ch.GetEvent(deadline)
		if err != nil || got != cq {
			t.Fatalf("event %d: %v, %v", i, got, err)
		}
	}
	cq.AckEvents(n) // CHN-15
	if _, err := ch.GetEvent(0); !errors.Is(err, verbs.ErrTimeout) {
		t.Fatalf("after %d events: %v, want none", n, err)
	}
	if readable(t, ch, 0) {
		t.Error("CHN-1: readable without an event")
	}
}

func TestEvents(t *testing.T) {
	cases := []struct {
		name string
		do   func(t *testing.T, a, b *side)
		want int
	}{
		{"CHN-2 never armed", func(t *testing.T, a, b *side) {
			a.sendSome(t, 3, verbs.SendSolicited)
		}, 0},
		{"CHN-3 CHN-4 one event for one arm", func(t *testing.T, a, b *side) {
			b.arm(t, false)
			a.sendSome(t, 3, 0)
		}, 1},
		{"CHN-5 CHN-11 what was there before does not count", func(t *testing.T, a, b *side) {
			a.sendSome(t, 2, 0)
			b.arm(t, false)
			if readable(t, b.ch, quiet) {
				t.Error("event for a completion from before the arm")
			}
			poll(t, b.recvCQ, 2)
		}, 0},
		{"CHN-5 but the next one does", func(t *testing.T, a, b *side) {
			a.sendSome(t, 2, 0)
			b.arm(t, false)
			a.sendSome(t, 1, 0)
		}, 1},
		{"CHN-6 arming twice", func(t *testing.T, a, b *side) {
			b.arm(t, false)
			b.arm(t, false)
			a.sendSome(t, 2, 0)
		}, 1},
		{"CHN-3 arming again after the event", func(t *testing.T, a, b *side) {
			for range 3 {
				b.arm(t, false)
				a.sendSome(t, 1, 0)
			}
		}, 3},
		{"CHN-7 unsolicited", func(t *testing.T, a, b *side) {
			b.arm(t, true)
			a.sendSome(t, 2, 0)
		}, 0},
		{"CHN-7 solicited", func(t *testing.T, a, b *side) {
			b.arm(t, true)
			a.sendSome(t, 1, 0)
			a.sendSome(t, 1, verbs.SendSolicited)
		}, 1},
		{"CHN-7 WRITE takes no receive", func(t *testing.T, a, b *side) {
			b.arm(t, true)
			a.mustPost(t, send{flags: verbs.SendSolicited | verbs.SendSignaled}.toward(b, 0))
			poll(t, a.sendCQ, 1)
		}, 0},
		{"CHN-7 solicited WRITE_WITH_IMM", func(t *testing.T, a, b *side) {
			b.arm(t, true)
			a.mustPost(t, send{op: verbs.OpRDMAWriteWithImm, flags: verbs.SendSolicited}.toward(b, 0))
		}, 1},
		{"CHN-8 a failed completion is solicited", func(t *testing.T, a, b *side) {
			b.arm(t, true)
			a.mustPost(t, send{op: verbs.OpSend, sges: []verbs.SGE{a.sge(0, 1)}})
		}, 1},
		{"CHN-8 flushed ones too", func(t *testing.T, a, b *side) {
			b.arm(t, true)
			b.to(t, verbs.QPErr, a)
		}, 1},
		{"CHN-9 SOLICITED then NEXT", func(t *testing.T, a, b *side) {
			b.arm(t, true)
			b.arm(t, false)
			a.sendSome(t, 1, 0)
		}, 1},
		{"CHN-9 NEXT then SOLICITED", func(t *testing.T, a, b *side) {
			b.arm(t, false)
			b.arm(t, true)
			a.sendSome(t, 1, 0)
		}, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a, b := chanPair(t)
			c.do(t, a, b)
			wantEvents(t, b.ch, b.recvCQ, c.want)
		})
	}
}

func (s *side) arm(t testing.TB, solicited bool) {
	t.Helper()
	noError(t, s.recvCQ.ReqNotify(solicited))
}

func TestEventConsumesNothing(t *testing.T) {
	a, b := chanPair(t)
	b.arm(t, false)
	a.sendSome(t, 2, 0)
	if !readable(t, b.ch, deadline) {
		t.Error("CHN-1: not readable with an event queued")
	}
	wantEvents(t, b.ch, b.recvCQ, 1)
	poll(t, b.recvCQ, 2) // CHN-17
	pollNone(t, b.recvCQ)
}

// TestOneChannelForTwoCQs covers CHN-16, with a send CQ as the second one.
func TestOneChannelForTwoCQs(t *testing.T) {
	a, b := chanPair(t)
	cq := must(b.ctx.CreateCQ(16, b.ch, 0))(t)
	t.Cleanup(func() { noError(t, cq.Close()) })
	b.sendCQ = cq
	b.newQP(t)
	a.newQP(t)
	connect(t, a, b)
	noError(t, cq.ReqNotify(false))
	b.mustPost(t, send{flags: verbs.SendSignaled}.toward(a, 0))
	wantEvents(t, b.ch, cq, 1)
	b.arm(t, false)
	b.mustRecv(t, recv{})
	a.sendSome(t, 1, 0)
	wantEvents(t, b.ch, b.recvCQ, 1)
}

func TestGetEventTimesOut(t *testing.T) {
	_, b := chanPair(t)
	start := time.Now()
	_, err := b.ch.GetEvent(quiet) // CHN-12
	if !errors.Is(err, verbs.ErrTimeout) || time.Since(start) < quiet {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

package shm_test

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// TestOverrunFailsEveryPoll covers that every poll of an overrun CQ fails and returns no
// completion.
func TestOverrunFailsEveryPoll(t *testing.T) {
	c := conf()
	c.CQE = 4
	a, b := pair(t, c)
	for range 6 {
		a.Post(send{Flags: verbs.SendSignaled}.Toward(b, 0))
	}
	for range 2 {
		var wc [8]verbs.WC
		n, err := a.SendCQ.Poll(wc[:])
		wantErrno(t, err, syscall.ENOMEM)
		if n != 0 {
			t.Errorf("%d completions from an overrun CQ", n)
		}
	}
}

// TestCloseIsIdempotent covers that a second Close has no effect, on reference counts either.
func TestCloseIsIdempotent(t *testing.T) {
	c := conf()
	c.Channel = true
	s := newSide(t, c)
	noError(t, s.QP.Close())
	noError(t, s.QP.Close())
	wantErrno(t, s.PD.Close(), syscall.EBUSY) // the region uses it
	noError(t, s.MR.Close())
	noError(t, s.MR.Close())
	noError(t, s.PD.Close())
	noError(t, s.SendCQ.Close())
	wantErrno(t, s.Channel.Close(), syscall.EBUSY)
	noError(t, s.RecvCQ.Close())
	noError(t, s.Channel.Close())
	noError(t, s.Channel.Close())
}

// TestOverrunByPeer covers completions made by a peer: the overrun puts the CQ and its QP into
// error states with one event each, whether a poll or a waiter for events detects it.
func TestOverrunByPeer(t *testing.T) {
	overrun := func(t *testing.T) *side {
		t.Helper()
		c := conf()
		c.CQE = 4
		b := newSide(t, c)
		a := newSide(t, conf())
		fixture.Connect(a, b)
		for range 6 {
			b.PostRecv(recv{})
			a.Post(send{Op: verbs.OpSend})
		}
		return b
	}
	events := func(t *testing.T, b *side) {
		t.Helper()
		for _, want := range []verbs.EventType{verbs.EventCQErr, verbs.EventQPFatal} {
			e := must(b.Ctx.GetAsyncEvent(fixture.WaitTimeout))(t)
			b.Ctx.AckAsyncEvent(e)
			if e.Type != want || want == verbs.EventCQErr && e.CQ != b.RecvCQ.CQ || want == verbs.EventQPFatal && e.QP != b.QP {
				t.Errorf("%+v, want %s", e, want)
			}
		}
		if e, err := b.Ctx.GetAsyncEvent(50 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
			t.Errorf("another event: %s, %v", e.Type, err)
		}
		fixture.Eventually(t, "the QP is in ERR", func() bool { return b.State() == verbs.QPErr })
	}
	t.Run("poll", func(t *testing.T) {
		b := overrun(t)
		n, err := b.RecvCQ.Poll(make([]verbs.WC, 8))
		wantErrno(t, err, syscall.ENOMEM)
		if n != 0 {
			t.Errorf("%d completions", n)
		}
		events(t, b)
	})
	t.Run("event", func(t *testing.T) {
		b := overrun(t)
		events(t, b)
		_, err := b.RecvCQ.Poll(make([]verbs.WC, 8))
		wantErrno(t, err, syscall.ENOMEM)
		wantErrno(t, b.RecvCQ.Resize(100), syscall.EINVAL)
	})
}

// TestCQSmallerThanQueues covers that a CQ smaller than its queues suffices if the owner polls in
// time.
func TestCQSmallerThanQueues(t *testing.T) {
	c := conf()
	c.CQE = 4
	a, b := pair(t, c)
	for range 50 {
		b.PostRecv(recv{})
	}
	for range 10 {
		for range 4 {
			a.Post(send{Op: verbs.OpSend, Flags: verbs.SendSignaled})
		}
		a.SendCQ.Next(4)
		b.RecvCQ.Next(4)
	}
}

// TestResizeKeepsCompletionsInOrder covers completions at different positions of the old and the
// new ring.
func TestResizeKeepsCompletionsInOrder(t *testing.T) {
	c := conf()
	c.CQE = 8
	a, b := pair(t, c)
	for round := range 20 {
		for i := range 6 {
			a.Post(send{ID: uint64(i), Flags: verbs.SendSignaled}.Toward(b, 0))
		}
		noError(t, a.SendCQ.Resize([]int{8, 100, 6, 33}[round%4]))
		wantErrno(t, a.SendCQ.Resize(5), syscall.EINVAL)
		for i, wc := range a.SendCQ.Next(6) {
			if wc.WRID != uint64(i) {
				t.Fatalf("round %d: completion %d belongs to request %d", round, i, wc.WRID)
			}
		}
	}
}

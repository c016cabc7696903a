package shm_test

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestOverrun: a CQ that overran says so at every poll and gives nothing.
func TestOverrun(t *testing.T) {
	c := conf()
	c.cqe = 4
	a, b := pair(t, c)
	for range 6 {
		a.mustPost(t, send{flags: verbs.SendSignaled}.toward(b, 0))
	}
	for range 2 {
		var wc [8]verbs.WC
		n, err := a.sendCQ.Poll(wc[:])
		wantErrno(t, err, syscall.ENOMEM)
		if n != 0 {
			t.Errorf("%d completions of a CQ that overran", n)
		}
	}
}

// TestClosedTwice: closing again is harmless, and nothing is given back twice.
func TestClosedTwice(t *testing.T) {
	c := conf()
	c.channel = true
	s := newSide(t, c)
	noError(t, s.qp.Close())
	noError(t, s.qp.Close())
	wantErrno(t, s.pd.Close(), syscall.EBUSY) // its region is left
	noError(t, s.mr.Close())
	noError(t, s.mr.Close())
	noError(t, s.pd.Close())
	noError(t, s.sendCQ.Close())
	wantErrno(t, s.ch.Close(), syscall.EBUSY)
	noError(t, s.recvCQ.Close())
	noError(t, s.ch.Close())
	noError(t, s.ch.Close())
}

// TestOverrunByPeer: completions that a peer makes count too, and end the CQ and
// its QP with one event each, whoever looks first.
func TestOverrunByPeer(t *testing.T) {
	overrun := func(t *testing.T) *side {
		t.Helper()
		c := conf()
		c.cqe = 4
		b := newSide(t, c)
		a := newSide(t, conf())
		connect(t, a, b)
		for range 6 {
			b.mustRecv(t, recv{})
			a.mustPost(t, send{op: verbs.OpSend})
		}
		return b
	}
	events := func(t *testing.T, b *side) {
		t.Helper()
		for _, want := range []verbs.EventType{verbs.EventCQErr, verbs.EventQPFatal} {
			e := must(b.ctx.GetAsyncEvent(deadline))(t)
			b.ctx.AckAsyncEvent(e)
			if e.Type != want || want == verbs.EventCQErr && e.CQ != b.recvCQ || want == verbs.EventQPFatal && e.QP != b.qp {
				t.Errorf("%+v, want %s", e, want)
			}
		}
		if e, err := b.ctx.GetAsyncEvent(50 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
			t.Errorf("a further event %s, %v", e.Type, err)
		}
		eventually(t, "the QP is in ERR", func() bool { return b.state(t) == verbs.QPErr })
	}
	t.Run("poll", func(t *testing.T) {
		b := overrun(t)
		n, err := b.recvCQ.Poll(make([]verbs.WC, 8))
		wantErrno(t, err, syscall.ENOMEM)
		if n != 0 {
			t.Errorf("%d completions", n)
		}
		events(t, b)
	})
	t.Run("event", func(t *testing.T) {
		b := overrun(t)
		events(t, b)
		_, err := b.recvCQ.Poll(make([]verbs.WC, 8))
		wantErrno(t, err, syscall.ENOMEM)
		wantErrno(t, b.recvCQ.Resize(100), syscall.EINVAL)
	})
}

// TestSmallCQ: a CQ smaller than its queues does for an owner who polls in time.
func TestSmallCQ(t *testing.T) {
	c := conf()
	c.cqe = 4
	a, b := pair(t, c)
	for range 50 {
		b.mustRecv(t, recv{})
	}
	for range 10 {
		for range 4 {
			a.mustPost(t, send{op: verbs.OpSend, flags: verbs.SendSignaled})
		}
		poll(t, a.sendCQ, 4)
		poll(t, b.recvCQ, 4)
	}
}

// TestResizeMovesTheRing: what is in the CQ stays in order, wherever it lies in
// the old ring and in the new one.
func TestResizeMovesTheRing(t *testing.T) {
	c := conf()
	c.cqe = 8
	a, b := pair(t, c)
	for round := range 20 {
		for i := range 6 {
			a.mustPost(t, send{id: uint64(i), flags: verbs.SendSignaled}.toward(b, 0))
		}
		noError(t, a.sendCQ.Resize([]int{8, 100, 6, 33}[round%4]))
		wantErrno(t, a.sendCQ.Resize(5), syscall.EINVAL)
		for i, wc := range poll(t, a.sendCQ, 6) {
			if wc.WRID != uint64(i) {
				t.Fatalf("round %d: completion %d is of request %d", round, i, wc.WRID)
			}
		}
	}
}

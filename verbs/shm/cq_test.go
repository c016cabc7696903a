package shm_test

import (
	"syscall"
	"testing"

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

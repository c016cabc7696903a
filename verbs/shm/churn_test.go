package shm_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestDestroyWhilePolled: QPs come and go while another thread polls their CQ
// and the peer sends.
func TestDestroyWhilePolled(t *testing.T) {
	c := conf()
	c.oneCQ, c.cqe = true, 4096
	a, b := newSide(t, c), newSide(t, c)
	var stop atomic.Bool
	crew(t, func() error {
		var wc [8]verbs.WC
		for !stop.Load() {
			if _, err := b.recvCQ.Poll(wc[:]); err != nil {
				return err
			}
			runtime.Gosched()
		}
		return nil
	}, func() error {
		defer stop.Store(true)
		for range 100 {
			x, y := a.qp, b.qp
			connect(t, a, b)
			for i := range 20 {
				b.mustRecv(t, recv{id: uint64(i), sges: []verbs.SGE{b.sge(0, 64)}})
				a.mustPost(t, send{op: verbs.OpSend, sges: []verbs.SGE{a.sge(0, 64)}})
			}
			a.newQP(t)
			b.newQP(t)
			if err := y.Close(); err != nil {
				return err
			}
			if err := x.Close(); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestResetWhilePosting: one thread posts receives and sends without looking at
// errors, another moves the QP through its states.
func TestResetWhilePosting(t *testing.T) {
	c := conf()
	c.oneCQ, c.cqe = true, 1<<16
	a, b := pair(t, c)
	var stop atomic.Bool
	crew(t, func() error {
		var wc [8]verbs.WC
		for !stop.Load() {
			a.postRecv(recv{id: 1})
			a.post(send{op: verbs.OpSend, flags: verbs.SendSignaled})
			if _, err := a.recvCQ.Poll(wc[:]); err != nil {
				return err
			}
			runtime.Gosched()
		}
		return nil
	}, func() error {
		defer stop.Store(true)
		for i := range 200 {
			if i%2 == 0 {
				a.to(t, verbs.QPErr, b)
			}
			b.reconnect(t, a)
			a.reconnect(t, b)
			runtime.Gosched()
		}
		return nil
	})
	a.to(t, verbs.QPReset, b)
	b.to(t, verbs.QPReset, a)
	connect(t, a, b)
	for range 3 * c.cap.MaxSendWR { // the queue has lost no place
		a.warmUp(t, b)
	}
}

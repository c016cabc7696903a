package shm_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// TestDestroyWhilePolled covers QPs that are created and destroyed while another thread polls their
// CQ and the peer sends.
func TestDestroyWhilePolled(t *testing.T) {
	c := conf()
	c.OneCQ, c.CQE = true, 4096
	a, b := newSide(t, c), newSide(t, c)
	var stop atomic.Bool
	runConcurrently(t, func() error {
		var wc [8]verbs.WC
		for !stop.Load() {
			if _, err := b.RecvCQ.Poll(wc[:]); err != nil {
				return err
			}
			runtime.Gosched()
		}
		return nil
	}, func() error {
		defer stop.Store(true)
		for range 100 {
			x, y := a.QP, b.QP
			fixture.Connect(a, b)
			for i := range 20 {
				b.PostRecv(recv{ID: uint64(i), SGEs: []verbs.SGE{b.SGE(0, 64)}})
				a.Post(send{Op: verbs.OpSend, SGEs: []verbs.SGE{a.SGE(0, 64)}})
			}
			a.NewQP()
			b.NewQP()
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

// TestResetWhilePosting covers one thread that posts receives and sends and ignores errors, while
// another moves the QP through its states.
func TestResetWhilePosting(t *testing.T) {
	c := conf()
	c.OneCQ, c.CQE = true, 1<<16
	a, b := pair(t, c)
	var stop atomic.Bool
	runConcurrently(t, func() error {
		var wc [8]verbs.WC
		for !stop.Load() {
			a.TryPostRecv(recv{ID: 1})
			a.TryPost(send{Op: verbs.OpSend, Flags: verbs.SendSignaled})
			if _, err := a.RecvCQ.Poll(wc[:]); err != nil {
				return err
			}
			runtime.Gosched()
		}
		return nil
	}, func() error {
		defer stop.Store(true)
		for i := range 200 {
			if i%2 == 0 {
				a.To(verbs.QPErr, b)
			}
			b.reconnect(t, a)
			a.reconnect(t, b)
			runtime.Gosched()
		}
		return nil
	})
	a.To(verbs.QPReset, b)
	b.To(verbs.QPReset, a)
	fixture.Connect(a, b)
	for range 3 * c.Cap.MaxSendWR { // the send queue has lost no slot
		a.useOnce(t, b)
	}
}

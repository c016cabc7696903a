package shm_test

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestRecoverAfterFailure goes through many failures on one pair at once.
func TestRecoverAfterFailure(t *testing.T) {
	a, b := pair(t, conf())
	for range 200 {
		w := send{id: 1, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
		w.rkey++
		a.mustPost(t, w)
		pollOne(t, a.sendCQ, 1, verbs.WCRemAccessErr)
		a.to(t, verbs.QPReset, b)
		b.to(t, verbs.QPReset, a)
		connect(t, a, b)
		a.mustPost(t, send{id: 2, flags: verbs.SendSignaled}.toward(b, 0))
		pollOne(t, a.sendCQ, 2, verbs.WCSuccess)
	}
}

// TestRecoverAfterTimeout: the failure is found by the device's own thread.
func TestRecoverAfterTimeout(t *testing.T) {
	c := conf()
	c.timeout, c.retry = 1, 0
	a, b := pair(t, c)
	for range 200 {
		b.to(t, verbs.QPReset, a)
		a.mustPost(t, send{id: 1}.toward(b, 0))
		pollOne(t, a.sendCQ, 1, verbs.WCRetryExcErr)
		a.to(t, verbs.QPReset, b)
		connect(t, a, b)
		a.mustPost(t, send{id: 2, flags: verbs.SendSignaled}.toward(b, 0))
		pollOne(t, a.sendCQ, 2, verbs.WCSuccess)
	}
}

// TestQPNumbers covers QPS-36.
func TestQPNumbers(t *testing.T) {
	s := newSide(t, conf())
	seen := map[uint32]bool{s.qp.QPNum(): true}
	for range 300 {
		init := verbs.QPInitAttr{SendCQ: s.sendCQ, RecvCQ: s.recvCQ, Type: verbs.QPTypeRC}
		qp := must(s.pd.CreateQP(&init))(t)
		n := qp.QPNum()
		if seen[n] || n == 0 || n >= 1<<24 {
			t.Fatalf("qp_num %#x, used before: %v", n, seen[n])
		}
		seen[n] = true
		noError(t, qp.Close())
	}
}

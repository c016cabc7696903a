package shm_test

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// TestReconnectAfterFailure covers many failures of one pair.
func TestReconnectAfterFailure(t *testing.T) {
	a, b := pair(t, conf())
	for range 200 {
		w := send{ID: 1, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0)
		w.RKey++
		a.Post(w)
		a.SendCQ.Expect(1, verbs.WCRemAccessErr)
		a.To(verbs.QPReset, b)
		b.To(verbs.QPReset, a)
		fixture.Connect(a, b)
		a.Post(send{ID: 2, Flags: verbs.SendSignaled}.Toward(b, 0))
		a.SendCQ.Expect(2, verbs.WCSuccess)
	}
}

// TestReconnectAfterTimeout covers failures that the engine detects.
func TestReconnectAfterTimeout(t *testing.T) {
	c := conf()
	c.Timeout, c.RetryCnt = 1, 0
	a, b := pair(t, c)
	for range 200 {
		b.To(verbs.QPReset, a)
		a.Post(send{ID: 1}.Toward(b, 0))
		a.SendCQ.Expect(1, verbs.WCRetryExcErr)
		a.To(verbs.QPReset, b)
		fixture.Connect(a, b)
		a.Post(send{ID: 2, Flags: verbs.SendSignaled}.Toward(b, 0))
		a.SendCQ.Expect(2, verbs.WCSuccess)
	}
}

// TestQPNumbersAreNotReused covers QPS-36.
func TestQPNumbersAreNotReused(t *testing.T) {
	s := newSide(t, conf())
	seen := map[uint32]bool{s.QP.QPNum(): true}
	for range 300 {
		init := verbs.QPInitAttr{SendCQ: s.SendCQ.CQ, RecvCQ: s.RecvCQ.CQ, Type: verbs.QPTypeRC}
		qp := must(s.PD.CreateQP(&init))(t)
		n := qp.QPNum()
		if seen[n] || n == 0 || n >= 1<<24 {
			t.Fatalf("qp_num %#x, used before: %v", n, seen[n])
		}
		seen[n] = true
		noError(t, qp.Close())
	}
}

package shm

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// siblings makes further QPs beside the victim's, which come after it in number.
func (v *victim) siblings(t *testing.T, n int) []*victim {
	t.Helper()
	all := []*victim{v}
	for range n {
		q, err := v.qp.pd.CreateQP(&verbs.QPInitAttr{SendCQ: v.cq, RecvCQ: v.cq, Type: verbs.QPTypeRC, Cap: v.qp.cap})
		check(t, err)
		w := *v
		w.qp = q.(*qp)
		all = append(all, &w)
	}
	return all
}

// TestQueuesComeAlong: who asks for one receive queue is given the next ones that
// are meant for it too, and gives back those that it does not use.
func TestQueuesComeAlong(t *testing.T) {
	a, b := newVictim(t).siblings(t, 4), newVictim(t).siblings(t, 4)
	other := newVictim(t)
	for i := range a {
		to := a[i]
		if i == 4 {
			to = other // whose queue is not for a
		}
		check(t, a[i].connect(b[i].endpoint()))
		check(t, b[i].connect(to.endpoint()))
	}
	r := a[0].qp.remote.Load()
	waiting := func(want int) {
		t.Helper()
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.ahead) != want {
			t.Errorf("%d queues wait to be used, want %d", len(r.ahead), want)
		}
	}
	mr := b[0].mr
	for i, want := range []int{3, 2, 1} {
		if got := a[i].outcome(t, verbs.OpRDMAWrite, mr.Addr(), mr.RKey()); got != verbs.WCSuccess {
			t.Errorf("QP %d: %s", i, got)
		}
		waiting(want)
	}
	check(t, a[3].qp.Close())
	waiting(0)
	if got := a[4].outcome(t, verbs.OpRDMAWrite, mr.Addr(), mr.RKey()); got != verbs.WCRetryExcErr {
		t.Errorf("QP that nobody is connected to: %s", got)
	}
}

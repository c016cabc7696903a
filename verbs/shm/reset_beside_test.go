package shm

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestResetBesideAStoppedPeer: a peer that stays within a request while the QP goes through RESET, as
// one whose process is stopped, completes no receive of the next connection when it goes on, be that to
// another peer or to the same one.
func TestResetBesideAStoppedPeer(t *testing.T) {
	for _, typ := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUC} {
		t.Run(typ.String(), func(t *testing.T) {
			t.Parallel()
			a, b, c := newVictimOf(t, typ), newVictimOf(t, typ), newVictimOf(t, typ)
			check(t, a.connect(b.endpoint()))
			check(t, b.connect(a.endpoint()))
			check(t, c.connect(a.endpoint()))
			q := b.qp
			q.lock()
			q.renew()
			p, out := q.reach()
			if out != done {
				t.Fatal("the peer is not there")
			}
			early(t, c)
			next := b
			if typ == verbs.QPTypeRC {
				next = c
			}
			check(t, a.qp.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
			check(t, a.connect(next.endpoint()))
			for id := range uint64(2) {
				_, err := a.qp.PostRecv(&verbs.RecvWR{WRID: id})
				check(t, err)
			}
			p.publish(&verbs.SendWR{Opcode: verbs.OpSend}, 0, verbs.WCSuccess) // it goes on
			q.unlock()
			var wc [1]verbs.WC
			if n, err := a.cq.Poll(wc[:]); n != 0 || err != nil {
				t.Fatalf("nobody has sent anything to the new connection: %+v, %v", wc[0], err)
			}
			for id := range uint64(2) {
				_, err := next.qp.PostSend(&verbs.SendWR{WRID: id, Opcode: verbs.OpSend, SendFlags: verbs.SendSignaled})
				check(t, err)
				for _, v := range []*victim{next, a} {
					if wc := v.next(t); wc.WRID != id || wc.Status != verbs.WCSuccess {
						t.Errorf("message %d ended with %+v", id, wc)
					}
				}
			}
		})
	}
}

// early has the victim find the peer, which is not connected to it yet.
func early(t *testing.T, v *victim) {
	t.Helper()
	v.qp.lock()
	defer v.qp.unlock()
	v.qp.renew()
	if _, out := v.qp.reach(); out != silent || v.qp.peer == nil {
		t.Fatalf("the peer is not found, or answers")
	}
}

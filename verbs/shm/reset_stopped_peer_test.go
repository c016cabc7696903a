package shm

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestResetWithPeerWithinRequest covers a peer that stays within a request during the QP's RESET,
// like a stopped process: when it resumes, it completes no receive of the next connection, to
// another peer or to the same one.
func TestResetWithPeerWithinRequest(t *testing.T) {
	for _, typ := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUC} {
		t.Run(typ.String(), func(t *testing.T) {
			t.Parallel()
			a, b, c := newNodeOf(t, typ), newNodeOf(t, typ), newNodeOf(t, typ)
			check(t, a.connect(b.endpoint()))
			check(t, b.connect(a.endpoint()))
			check(t, c.connect(a.endpoint()))
			q := b.qp
			q.lock()
			q.refreshCache()
			p, out := q.reachPeer()
			if out != done {
				t.Fatal("the peer does not respond")
			}
			findPeerBeforeConnection(t, c)
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
			p.publish(&verbs.SendWR{Opcode: verbs.OpSend}, 0, verbs.WCSuccess) // the old peer resumes
			q.unlock()
			var wc [1]verbs.WC
			if n, err := a.cq.Poll(wc[:]); n != 0 || err != nil {
				t.Fatalf("a completion without a message on the new connection: %+v, %v", wc[0], err)
			}
			for id := range uint64(2) {
				_, err := next.qp.PostSend(&verbs.SendWR{WRID: id, Opcode: verbs.OpSend, SendFlags: verbs.SendSignaled})
				check(t, err)
				for _, v := range []*node{next, a} {
					if wc := v.nextCompletion(t); wc.WRID != id || wc.Status != verbs.WCSuccess {
						t.Errorf("message %d ended with %+v", id, wc)
					}
				}
			}
		})
	}
}

// findPeerBeforeConnection maps the peer's QP, which is not yet connected to the node.
func findPeerBeforeConnection(t *testing.T, v *node) {
	t.Helper()
	v.qp.lock()
	defer v.qp.unlock()
	v.qp.refreshCache()
	if _, out := v.qp.reachPeer(); out != noResponse || v.qp.peer == nil {
		t.Fatal("the peer's QP was not found, or responds")
	}
}

package shm

import (
	"sync/atomic"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/ring"
)

// setMessageNumber gives the next message of an unused connection the number n, as if there had
// been n messages.
func setMessageNumber(t *testing.T, from, to *node, n uint32) {
	t.Helper()
	from.qp.lock()
	defer from.qp.unlock()
	from.qp.refreshCache()
	p, out := from.qp.reachPeer()
	if out != done {
		t.Fatal("the peer does not respond")
	}
	r := &to.qp.recv
	r.posted.Store(n)
	r.next.Store(n)
	r.freed.Store(n)
	atomic.StoreUint32(&r.header.posted, n)
	p.next, p.postedSeen = n, n
	for i := n - min(n, p.layout.n); i != n; i++ {
		p.records[i%p.layout.n] = record{0, uint64(i+1) << ring.NumberAt}
	}
}

// sendEmptyMessage sends an empty message from one node to another.
func sendEmptyMessage(t *testing.T, from, to *node, id uint64) {
	t.Helper()
	_, err := to.qp.PostRecv(&verbs.RecvWR{WRID: id})
	check(t, err)
	_, err = from.qp.PostSend(&verbs.SendWR{WRID: id, Opcode: verbs.OpSend, SendFlags: verbs.SendSignaled})
	check(t, err)
	for _, v := range []*node{from, to} {
		if wc := v.nextCompletion(t); wc.WRID != id || wc.Status != verbs.WCSuccess {
			t.Fatalf("message %#x ended with %+v", id, wc)
		}
	}
}

// TestUCContinuesFromAnyNumber covers that a UC requester continues after RESET, also where the
// message number has its top bit set or has wrapped around.
func TestUCContinuesFromAnyNumber(t *testing.T) {
	for _, start := range []uint32{0, 1<<31 - 40, 3 << 30, 1<<32 - 40, 1<<32 - 1} {
		a, b := newNodeOf(t, verbs.QPTypeUC), newNodeOf(t, verbs.QPTypeUC)
		check(t, a.connect(b.endpoint()))
		check(t, b.connect(a.endpoint()))
		setMessageNumber(t, a, b, start)
		id := uint64(start)
		for range 4 {
			for range 8 + len(b.qp.recv.records)/2*3 {
				sendEmptyMessage(t, a, b, id)
				id++
			}
			check(t, a.qp.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
			check(t, a.connect(b.endpoint()))
		}
	}
}

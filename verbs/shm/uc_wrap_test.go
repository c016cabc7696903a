package shm

import (
	"sync/atomic"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// countFrom makes the next message of a connection that has seen none number n, as if there had been n.
func countFrom(t *testing.T, from, to *victim, n uint32) {
	t.Helper()
	from.qp.lock()
	defer from.qp.unlock()
	from.qp.renew()
	p, out := from.qp.reach()
	if out != done {
		t.Fatal("the peer is not there")
	}
	r := &to.qp.recv
	r.posted.Store(n)
	r.next.Store(n)
	r.freed.Store(n)
	atomic.StoreUint32(&r.header.posted, n)
	p.next, p.posted = n, n
	for i := n - min(n, p.layout.n); i != n; i++ {
		p.records[i%p.layout.n] = record{0, uint64(i+1) << recSeqAt}
	}
}

// message sends an empty message from one victim to another.
func message(t *testing.T, from, to *victim, id uint64) {
	t.Helper()
	_, err := to.qp.PostRecv(&verbs.RecvWR{WRID: id})
	check(t, err)
	_, err = from.qp.PostSend(&verbs.SendWR{WRID: id, Opcode: verbs.OpSend, SendFlags: verbs.SendSignaled})
	check(t, err)
	for _, v := range []*victim{from, to} {
		if wc := v.next(t); wc.WRID != id || wc.Status != verbs.WCSuccess {
			t.Fatalf("message %#x ended with %+v", id, wc)
		}
	}
}

// TestUCGoesOnFromAnyNumber: a requester of UC that was reset goes on where it was, also where the
// number of a message has its top bit set, or has wrapped around.
func TestUCGoesOnFromAnyNumber(t *testing.T) {
	for _, start := range []uint32{0, 1<<31 - 40, 3 << 30, 1<<32 - 40, 1<<32 - 1} {
		a, b := newVictimOf(t, verbs.QPTypeUC), newVictimOf(t, verbs.QPTypeUC)
		check(t, a.connect(b.endpoint()))
		check(t, b.connect(a.endpoint()))
		countFrom(t, a, b, start)
		id := uint64(start)
		for range 4 {
			for range 8 + len(b.qp.recv.records)/2*3 {
				message(t, a, b, id)
				id++
			}
			check(t, a.qp.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
			check(t, a.connect(b.endpoint()))
		}
	}
}

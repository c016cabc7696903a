package shm

import (
	"slices"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/store"
)

// WRITEs that complete before the peer's memory has their data. The completion of a WRITE means that the source may be used again,
// and that the responder has taken over the message; only a message behind it or an atomic operation on the same QP shows that its
// data is in place (InfiniBand volume 1, 9.5). With the option early=N the device keeps the data of one WRITE in N, and stores it
// before the next request of the QP that keeps its order, before the QP leaves its state, or in the engine some 20 us later.
const maxUnseen = 16 // WRITEs of a QP

// unseenWrite is a WRITE that has completed and whose data is not stored yet.
type unseenWrite struct {
	wr    verbs.SendWR // without SGEs
	data  []byte
	until time.Time
}

// completeEarly completes the WRITE that was posted last before its data is stored, and reports whether it has.
func (q *qp) completeEarly(wr *verbs.SendWR) bool {
	number, signaled := q.posted-1, q.sigAll || wr.SendFlags&verbs.SendSignaled != 0
	if q.ctx.dev.options.Early == 0 || wr.Opcode != verbs.OpRDMAWrite || !signaled || q.pendHead != q.pendTail || len(q.unseen) == maxUnseen {
		return false
	}
	if !q.draws(number, q.ctx.dev.options.Early) {
		return false
	}
	q.endBatch()
	k := &opKinds[wr.Opcode]
	n, status := q.resolveLocal(wr, k)
	if status != verbs.WCSuccess || n == 0 || n > maxLateResult {
		return false
	}
	if out, status := q.resolveAtPeer(wr, k, n, number); out != done || status != verbs.WCSuccess {
		return false // it has had no effect, and fails or waits as others do
	}
	u := unseenWrite{wr: *wr, until: time.Now().Add(maxLateness)}
	u.wr.Next, u.wr.SGList, u.wr.NumSGE = nil, nil, 0
	for _, b := range q.localMem {
		u.data = append(u.data, b...)
	}
	q.unseen = append(q.unseen, u)
	q.finish(wr, number, verbs.WCSuccess)
	q.ctx.engine.schedule(q, false)
	return true
}

// storeUnseenBefore stores the data that a request must not overtake.
func (q *qp) storeUnseenBefore(wr *verbs.SendWR) {
	for i := range q.unseen {
		if wr.Opcode != verbs.OpRDMAWrite || q.unseenOverlaps(&q.unseen[i], wr) {
			q.storeAllUnseen()
			return
		}
	}
}

// unseenOverlaps reports whether the data of u and a WRITE go to memory that overlaps, perhaps by different regions.
func (q *qp) unseenOverlaps(u *unseenWrite, wr *verbs.SendWR) bool {
	x, ok1 := q.remoteSpanOf(&u.wr, uint64(len(u.data)))
	y, ok2 := q.remoteSpan(wr)
	return !ok1 || !ok2 || x.overlaps(y)
}

// storeDueUnseen stores the data that is due, and returns when the rest is, the zero time if there is none.
func (q *qp) storeDueUnseen() (next time.Time) {
	if len(q.unseen) == 0 {
		return next
	}
	due, now := 0, time.Now()
	for due < len(q.unseen) && !q.unseen[due].until.After(now) {
		due++
	}
	if q.storeUnseen(due); len(q.unseen) > 0 {
		next = q.unseen[0].until
	}
	return next
}

func (q *qp) storeAllUnseen() { q.storeUnseen(len(q.unseen)) }

// storeUnseen stores the data of the first n WRITEs. Data of a region that no longer exists is dropped.
func (q *qp) storeUnseen(n int) {
	for i := range n {
		if !q.cache.valid() {
			q.endBatch()
			q.refreshCache()
		}
		u, k := &q.unseen[i], &opKinds[verbs.OpRDMAWrite]
		addr, key := u.wr.RDMA()
		if dst, out := q.remoteMemory(q.peer, k, key, q.peer.pd, addr, uint64(len(u.data))); out == done && dst != nil {
			store.Ordered(dst, u.data)
		}
	}
	q.unseen = slices.Delete(q.unseen, 0, n)
}

package shm

import (
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// WRITEs that overtake each other. No device promises an order among requests before one of them
// has completed. On devices that shuffle bytes a WRITE may therefore be late: it waits in the send
// queue while the data of later WRITEs is stored, whose completions wait for it. All other requests
// keep their order: SENDs, WRITEs with immediate data, READs and atomic operations find the data of
// all earlier WRITEs in place. WRITEs to overlapping memory also keep their order, so that the last
// one prevails.
//
// A late WRITE executes when the application polls, when a request follows that keeps its order, or
// in the engine some time later.
const (
	overtakeEvery = 8                // one WRITE in overtakeEvery is late
	maxOvertaken  = 16               // limit of requests in a send queue that begins with a late one
	maxLateness   = time.Millisecond // after which the engine executes it
)

// reorders reports whether the QP's WRITEs may overtake each other.
func (q *qp) reorders() bool { return q.ctx.dev.placement == shuffled }

// overtake handles the WRITE that was posted last if it is late, or if it may overtake a late one,
// and reports whether it has. A request that keeps its order is left to the caller.
func (q *qp) overtake(wr *verbs.SendWR) bool {
	before := q.pendTail - q.pendHead
	if !q.reorders() || wr.Opcode != verbs.OpRDMAWrite || before >= maxOvertaken || before > 0 && !q.tailOvertakable() {
		return false
	}
	late := q.drawsLate(q.posted-1) || q.overlapsPending(wr)
	if before == 0 && !late {
		return false
	}
	w := q.enqueue(wr)
	w.overtakable = true
	if !late && q.executeEarly(w) {
		w.stored = true
	} else {
		w.notBefore = time.Now().Add(maxLateness)
	}
	if before+1 == maxOvertaken {
		q.progress(true)
	}
	q.ctx.engine.addPending(q)
	return true
}

// tailOvertakable reports whether the send queue ends with a WRITE that others may overtake.
func (q *qp) tailOvertakable() bool {
	return q.pendHead != q.pendTail && q.pendingAt(q.pendTail-1).overtakable
}

// drawsLate reports whether the WRITE with the number is late, according to the seed.
func (q *qp) drawsLate(number uint32) bool {
	s := q.shuffler.Of(^uint64(number)) // distinct from the shuffler that stores the data
	return s.OneIn(overtakeEvery)
}

// overlapsPending reports whether a pending WRITE goes to memory that overlaps this one's, perhaps
// through another region with other addresses. A WRITE whose memory is in no region counts as
// overlapping.
func (q *qp) overlapsPending(wr *verbs.SendWR) bool {
	if q.pendHead == q.pendTail {
		return false
	}
	s, ok := q.remoteSpan(wr)
	for i := q.pendHead; i != q.pendTail; i++ {
		w := q.pendingAt(i)
		if w.stored {
			continue
		}
		if late, known := q.remoteSpan(&w.wr); !ok || !known || late.overlaps(s) {
			return true
		}
	}
	return false
}

// span is memory of the peer: the bytes from one offset to another of a memfd.
type span struct{ inode, from, to uint64 }

func (s span) overlaps(o span) bool { return s.inode == o.inode && s.from < o.to && o.from < s.to }

// remoteSpan returns the memory that a WRITE goes to. ok is false if the key is of no region, or of
// one that does not contain all of the memory.
func (q *qp) remoteSpan(wr *verbs.SendWR) (s span, ok bool) {
	n := totalLength(sgesOf(wr.SGList, wr.NumSGE))
	if n == 0 {
		return s, true
	}
	addr, key := wr.RDMA()
	r, i := q.peerCtx.Load(), keyIndex(key)
	if r == nil || i >= maxMR || key == 0 {
		return s, false
	}
	e := &r.dir.mrs[i]
	exists := atomic.LoadUint32(&e.key) == key
	off, length := addr-atomic.LoadUint64(&e.addr), atomic.LoadUint64(&e.length) // off wraps to a huge value if addr is below
	from := atomic.LoadUint64(&e.offset) + off
	s = span{atomic.LoadUint64(&e.inode), from, from + n}
	return s, exists && off <= length && n <= length-off && atomic.LoadUint32(&e.key) == key
}

// executeEarly executes a WRITE before the pending ones, and reports whether it succeeded. If not,
// it has had no effect, and fails or waits in its order.
func (q *qp) executeEarly(w *pendingWR) bool {
	k := &opKinds[verbs.OpRDMAWrite]
	n, status := q.resolveLocal(&w.wr, k)
	if status != verbs.WCSuccess {
		return false
	}
	out, status := q.executeAtPeer(&w.wr, k, n, w.number)
	return out == done && status == verbs.WCSuccess
}

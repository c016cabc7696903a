package shm

import (
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// WRITEs that overtake each other. No device promises an order among requests before one
// of them has completed, so on devices that store bytes in shuffled order a WRITE may be
// late: it waits in the send queue while later WRITEs are stored, which wait behind it for
// their completion. Everything else takes its turn, and so finds all WRITEs before it in
// place: SENDs, WRITEs with immediate data, READs and atomic operations. WRITEs to the
// same memory take their turn too, since which of them is last must not change.
//
// A late WRITE is carried out when the application polls, when a request comes that takes
// its turn, or by the engine some time later.
const (
	lateEvery = 8                // one WRITE in so many is late
	lateMost  = 16               // requests in a send queue whose first is late
	lateTime  = time.Millisecond // until the engine carries it out
)

// reorders tells whether the QP's WRITEs may overtake each other.
func (q *qp) reorders() bool { return q.ctx.dev.place == shuffled }

// overtake takes the WRITE that was posted last if it is late, or if it comes behind one that is.
// It returns false for a request that takes its turn.
func (q *qp) overtake(wr *verbs.SendWR) bool {
	before := q.pendTail - q.pendHead
	if !q.reorders() || wr.Opcode != verbs.OpRDMAWrite || before >= lateMost || before > 0 && !q.lateLast() {
		return false
	}
	late := q.drawLate(q.posted-1) || q.meetsLate(wr)
	if before == 0 && !late {
		return false
	}
	w := q.enqueue(wr)
	w.late = true
	if !late && q.performEarly(w) {
		w.placed = true
	} else {
		w.notBefore = time.Now().Add(lateTime)
	}
	if before+1 == lateMost {
		q.proceed(true)
	}
	q.ctx.engine.add(q)
	return true
}

// lateLast tells whether nothing waits but WRITEs of which others may come.
func (q *qp) lateLast() bool { return q.pendHead != q.pendTail && q.slot(q.pendTail-1).late }

// drawLate decides by the seed whether a WRITE is late.
func (q *qp) drawLate(number uint32) bool {
	s := q.shuffler.Of(^uint64(number)) // not the one that it is placed by
	return s.OneIn(lateEvery)
}

// meetsLate tells whether a WRITE that waits goes to memory of this one. It may name that by other
// addresses, through another region. A WRITE to memory that no region shows takes its turn.
func (q *qp) meetsLate(wr *verbs.SendWR) bool {
	if q.pendHead == q.pendTail {
		return false
	}
	s, ok := q.farSpan(wr)
	for i := q.pendHead; i != q.pendTail; i++ {
		w := q.slot(i)
		if w.placed {
			continue
		}
		if late, known := q.farSpan(&w.wr); !ok || !known || late.meets(s) {
			return true
		}
	}
	return false
}

// span is memory of the peer: the bytes from one offset up to another of a memfd.
type span struct{ inode, from, to uint64 }

func (s span) meets(o span) bool { return s.inode == o.inode && s.from < o.to && o.from < s.to }

// farSpan returns the memory that a WRITE goes to. It is false if the key is of no region now, or
// of one that does not have all of the memory.
func (q *qp) farSpan(wr *verbs.SendWR) (s span, ok bool) {
	n := total(sgesOf(wr.SGList, wr.NumSGE))
	if n == 0 {
		return s, true
	}
	addr, key := wr.RDMA()
	r, i := q.remote.Load(), keyIndex(key)
	if r == nil || i >= maxMR || key == 0 {
		return s, false
	}
	e := &r.dir.mrs[i]
	there := atomic.LoadUint32(&e.key) == key
	off, length := addr-atomic.LoadUint64(&e.addr), atomic.LoadUint64(&e.length) // off is huge if addr is below
	from := atomic.LoadUint64(&e.offset) + off
	s = span{atomic.LoadUint64(&e.inode), from, from + n}
	return s, there && off <= length && n <= length-off && atomic.LoadUint32(&e.key) == key
}

// performEarly carries out a WRITE before those that wait. One that would fail does so in its
// turn, and then nothing has been done of it.
func (q *qp) performEarly(w *waiting) bool {
	k := &kinds[verbs.OpRDMAWrite]
	n, status := q.gather(&w.wr, k)
	if status != verbs.WCSuccess {
		return false
	}
	out, status := q.perform(&w.wr, k, n, w.number)
	return out == done && status == verbs.WCSuccess
}

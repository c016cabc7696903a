package shm

import (
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

// overtake takes the WRITE at hand if it is late, or if it comes behind one that is. It
// returns false for a request that takes its turn. The device is one that reorders.
func (q *qp) overtake() bool {
	w, waiting := &q.now, q.pendTail-q.pendHead
	if w.op != verbs.OpRDMAWrite || waiting >= lateMost || waiting > 0 && !q.lateLast() {
		return false
	}
	late := q.drawLate(w) || q.meetsLate(w)
	if waiting == 0 && !late {
		return false
	}
	p := q.enqueue(w)
	p.late = true
	if !late && q.ahead(&p.work) {
		p.placed = true
	} else {
		p.notBefore = time.Now().Add(lateTime)
	}
	if waiting+1 == lateMost {
		q.progressLocked(true)
	}
	q.ctx.engine.watch(q)
	return true
}

// lateLast tells whether nothing waits but WRITEs of which others may come.
func (q *qp) lateLast() bool { return q.pendHead != q.pendTail && q.slot(q.pendTail-1).late }

// drawLate decides by the seed whether a WRITE is late.
func (q *qp) drawLate(w *work) bool {
	s := q.shuffler.Of(^uint64(w.place)) // not the one that it is placed by
	return s.OneIn(lateEvery)
}

// meetsLate tells whether a WRITE that waits goes to memory of this one.
func (q *qp) meetsLate(w *work) bool {
	n := total(w.sges)
	for i := q.pendHead; i != q.pendTail; i++ {
		p := q.slot(i)
		if !p.placed && w.raddr < p.raddr+total(p.sges) && p.raddr < w.raddr+n {
			return true
		}
	}
	return false
}

// ahead carries out a WRITE before those that wait. One that would fail does so in its
// turn, and then nothing has been done of it.
func (q *qp) ahead(w *work) bool {
	q.renew()
	n, status := q.gather(w)
	p := q.reach()
	if status != verbs.WCSuccess || p == nil || p.xrcd != 0 && !p.aim(w.srq) {
		return false
	}
	out, status := q.write(p, w, n)
	return out == done && status == verbs.WCSuccess
}

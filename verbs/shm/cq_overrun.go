package shm

import (
	"sort"

	"github.com/ibperf/ibperf/verbs"
)

// A CQ overruns when more completions are left unpolled than it has entries. Completions in the
// ring are counted when they are added. Peers add theirs to the receive queues without knowing of
// the CQ. The owner counts those when a poll finds completions, when it arms the CQ, and while it
// waits for asynchronous events. An overrun is therefore detected late, but always. No counting is
// needed for a CQ as large as its queues, which is the normal case. Completions of SRQ receives
// count if they are in the ring. If the CQ has room for all receives of the SRQ, they can bypass
// the ring until they are polled.

func (q *cq) CQE() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.cqe
}

// overrunLocked reports whether the CQ has overrun. The caller holds the lock.
func (q *cq) overrunLocked() bool {
	if int(q.tail.Load()-q.head)+q.receivers.depth > q.cqe && !q.overrun && q.unpolled() > q.cqe {
		q.setOverrun()
	}
	return q.overrun
}

// checkOverrun detects an overrun that peers have caused.
func (q *cq) checkOverrun() {
	q.mu.Lock()
	q.overrunLocked()
	q.mu.Unlock()
}

// unpolled returns the number of unpolled completions.
func (q *cq) unpolled() int {
	n := int(q.tail.Load() - q.head)
	for _, p := range q.receivers.all.all() {
		n += p.recv.unpolled()
	}
	return n
}

// unpolled returns the number of records that the peer has published and the owner has not polled.
// Records are published in order, so a binary search finds the last one.
func (r *recvQueue) unpolled() int {
	if r.closed.Load() {
		return 0
	}
	first := r.next.Load()
	return sort.Search(int(r.posted.Load()-first), func(n int) bool {
		_, published := r.record(first + uint32(n))
		return !published
	})
}

// setOverrun puts the CQ into its error state, under its lock: no completion is added, every poll
// fails, and its QPs go to ERR, since their completions are lost.
func (q *cq) setOverrun() {
	if q.overrun {
		return
	}
	q.overrun = true
	q.rebuild(nil, nil, func(*ringWC) bool { return false })
	q.headCopy.Store(q.tail.Load() - 1) // no poll finds the CQ empty, so that every poll fails
	q.ctx.raise(verbs.AsyncEvent{Type: verbs.EventCQErr, CQ: q})
	go q.failUsers() // takes locks that the caller may hold
}

func (q *cq) failUsers() {
	c := q.ctx
	for _, p := range c.qps.all() {
		if p.sendCQ != q && p.recvCQ != q {
			continue
		}
		generation := p.generation.Load()
		if verbs.QPState(p.state.Load()) == verbs.QPReset {
			continue
		}
		p.fail(generation)
		p.raise(verbs.EventQPFatal) // after fail, so that a reader of the event finds the QP in ERR
	}
}

func (q *cq) Resize(cqe int) error {
	if cqe < 1 || cqe > maxCQE {
		return q.ctx.err("resize_cq", einval, "cqe must be 1 to 1048576")
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed.Load():
		return q.ctx.err("resize_cq", ebadf, closedText)
	case q.overrunLocked():
		return q.ctx.err("resize_cq", einval, "the CQ has overrun: destroy it")
	case q.unpolled() > cqe:
		return q.ctx.err("resize_cq", einval, "the CQ holds more completions than cqe: poll them first")
	}
	q.resizeRing(cqe)
	q.ctx.async.watchOverrun(q, q.receivers.depth > cqe)
	return nil
}

// resizeRing gives the ring room for cqe completions and keeps its content.
func (q *cq) resizeRing(cqe int) {
	own, times := make([]ringWC, ringSize(cqe)), []uint64(nil)
	if q.stamps != verbs.TimestampNone {
		times = make([]uint64, len(own))
	}
	q.rebuild(own, times, func(*ringWC) bool { return true })
	q.cqe = cqe
}

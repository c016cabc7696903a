package shm

import (
	"sort"

	"github.com/ibperf/ibperf/verbs"
)

// A CQ overruns when more completions than it has entries are left unpolled. Those
// of this process's own making are counted as they are added. Peers add theirs to
// the QPs' receive queues and know nothing of the CQ, so these are counted when the
// owner looks: at a poll that finds something, when it arms, and while it waits for
// asynchronous events. That is late, but no owner misses it, and a CQ that is as
// large as its queues, as it should be, is never counted. Of shared receives those
// count that are in the CQ: where it has room for all that the SRQ holds, they need
// not be there before they are polled.

func (q *cq) CQE() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.cqe
}

// overflows tells whether the CQ has overrun by now; under its lock.
func (q *cq) overflows() bool {
	if int(q.tail.Load()-q.head)+q.depth > q.cqe && !q.overrun && q.unpolled() > q.cqe {
		q.overran()
	}
	return q.overrun
}

// look notices an overrun that peers have caused.
func (q *cq) look() {
	q.mu.Lock()
	q.overflows()
	q.mu.Unlock()
}

// unpolled counts the completions that are there.
func (q *cq) unpolled() int {
	n := int(q.tail.Load() - q.head)
	for _, p := range q.receivers.all() {
		n += p.recv.unpolled()
	}
	return n
}

// unpolled counts the records that the peer has published. They come in order, so
// that the last one can be searched for.
func (r *recvQueue) unpolled() int {
	if r.closed.Load() {
		return 0
	}
	first := r.next.Load()
	return sort.Search(int(r.posted.Load()-first), func(n int) bool {
		_, there := r.record(first + uint32(n))
		return !there
	})
}

// overran ends the CQ, under its lock: nothing more is added, every poll fails, and
// its QPs go to ERR, since nobody would learn of their completions.
func (q *cq) overran() {
	if q.overrun {
		return
	}
	q.overrun = true
	q.refill(nil, nil, func(*ownWC) bool { return false })
	q.headSeen.Store(q.tail.Load() - 1) // so that no poll finds it empty
	q.ctx.raise(verbs.AsyncEvent{Type: verbs.EventCQErr, CQ: q})
	go q.failUsers() // which takes locks that the caller may hold
}

func (q *cq) failUsers() {
	c := q.ctx
	for _, p := range c.qps.all() {
		if p.sendCQ != q && p.recvCQ != q {
			continue
		}
		life := p.life.Load()
		if verbs.QPState(p.state.Load()) == verbs.QPReset {
			continue
		}
		p.fail(life)
		p.raise(verbs.EventQPFatal) // who hears of it finds the QP in ERR
	}
}

func (q *cq) Resize(cqe int) error {
	if cqe < 1 || cqe > maxCQE {
		return q.ctx.err("resize_cq", einval, "cqe is 1 to 1048576")
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed.Load():
		return q.ctx.err("resize_cq", ebadf, closedText)
	case q.overflows():
		return q.ctx.err("resize_cq", einval, "the CQ overran; destroy it")
	case q.unpolled() > cqe:
		return q.ctx.err("resize_cq", einval, "more completions are in the CQ: poll them first")
	}
	q.setSize(cqe)
	q.ctx.async.watch(q, q.depth > cqe)
	return nil
}

// setSize gives the CQ room for so many completions, beside those of peers, and keeps what is there.
func (q *cq) setSize(cqe int) {
	own, times := make([]ownWC, ringSize(cqe)), []uint64(nil)
	if q.stamps != verbs.TimestampNone {
		times = make([]uint64, len(own))
	}
	q.refill(own, times, func(*ownWC) bool { return true })
	q.cqe = cqe
}

package shm

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// A QP that takes from shared receive queues has a queue of its own all the same,
// which its peer works in as in any other, but it is empty until the peer asks:
//
//	requester                          owner of the SRQ
//	finds no receive
//	askReceive      ---------------->  moves one from the SRQ into the QP's queue
//	                <----------------  note: it is there, or the SRQ is empty
//	takes it, publishes its record
//	askCollect      ---------------->  turns the record into a completion
//
// So receives go out in the order of the SRQ, to whichever QP has a message. One
// that the peer asked for and will not take goes back (askReturn).

// feed is what a QP has of shared receive queues, guarded by its recvQueue's mu.
type feed struct {
	from *srq // of the receive that lies in the QP's queue; nil: none does
	wr   verbs.RecvWR
	want *srq // of which the peer waits for a receive; nil: it does not
}

// The owner's notes, in the lower half of qp.note. The upper half tells what they
// answer, since a request may find its receive before the note comes.
const (
	noteFed   = 1
	noteEmpty = 2
)

// sharing tells whether the QP's receives come from shared queues.
func (q *qp) sharing() bool { return q.srq != nil || q.typ == verbs.QPTypeXRCRecv }

// attend does what a peer asks for a QP and returns the note that answers it, if any.
func (c *context) attend(req request) (note reply, ok bool) {
	c.mu.Lock()
	q, named := c.qps[numIndex(req.arg)], c.srqs[req.srq%maxSRQ]
	c.mu.Unlock()
	if q == nil || q.num != req.arg || !q.sharing() || !q.connected() {
		return note, false
	}
	from := q.srq
	if from == nil && named != nil && named.num == req.srq && named.domain == q.domain {
		from = named
	}
	q.recv.mu.Lock()
	said, back := q.heed(req, from)
	q.recv.mu.Unlock()
	if back != nil {
		back.serve()
	}
	note = reply{note: said, n: atomic.LoadUint32(&q.entry.destNum), serial: req.serial}
	return note, said != 0
}

// heed is attend under the receive queue's lock. It returns what to say to the
// peer, and the queue that it gave a receive back to.
func (q *qp) heed(req request, from *srq) (said uint32, back *srq) {
	if atomic.LoadUint32(&q.entry.epoch) != req.epoch || q.recv.closed.Load() {
		return 0, nil // of a connection that has ended
	}
	if life := q.life.Load(); !q.collect() {
		go q.fail(life) // it waits for the peer, which may wait for an answer
		return 0, nil
	}
	switch req.op {
	case askReturn:
		return 0, q.giveBack()
	case askReceive:
		if old := q.given.want; old != nil && old != from {
			old.leave(q)
		}
		q.given.want = from
		if q.feed() {
			return noteFed, nil
		}
		return noteEmpty, nil
	}
	return 0, nil
}

// feed moves a receive into the QP's queue if the peer wants one and the shared
// queue has one; under the receive queue's lock.
func (q *qp) feed() bool {
	r, g := &q.recv, &q.given
	if g.from != nil {
		return true
	}
	if g.want == nil || r.closed.Load() || !receives(verbs.QPState(q.state.Load())) {
		return false
	}
	w, ok := g.want.takeFor(q)
	if !ok {
		return false
	}
	*g = feed{from: g.want, wr: w}
	i := r.posted.Load()
	slot := i & (r.layout.n - 1)
	r.wrids[slot], r.room[slot] = w.WRID, total(sgesOf(w.SGList, w.NumSGE))
	r.posted.Store(i + 1)
	r.write(i, &w)
	return true
}

// collect turns the records of the peer into completions, under the receive
// queue's lock. It returns false when the connection has failed.
func (q *qp) collect() bool {
	r := &q.recv
	for r.ready() {
		i, s := r.next.Load(), q.given.from
		if s == nil || r.fault(i) {
			return false
		}
		e := s.received(verbs.WC{})
		r.complete(i, &e.wc)
		q.given.from = nil
		r.next.Store(i + 1)
		if s.isClosed() {
			continue
		}
		cq := q.recvCQ
		if s.cq != nil {
			cq = s.cq
		}
		cq.push(&e, r.solicited(i) || e.wc.Status != verbs.WCSuccess)
		if e.wc.Status != verbs.WCSuccess {
			return false
		}
	}
	return true
}

// giveBack returns a receive that the peer did not take to its queue, which it
// returns too, and forgets what the peer wants; under the receive queue's lock.
// The peer's requester must be out of the queue.
func (q *qp) giveBack() *srq {
	g := &q.given
	s := g.from
	if g.want != nil {
		g.want.leave(q)
	}
	if s != nil {
		q.recv.retract()
		s.giveBack(g.wr)
	}
	*g = feed{}
	return s
}

// starve ends the feeding: what the peer completed stays, and what it did not take
// goes back, since others may use it.
func (q *qp) starve() {
	r := &q.recv
	r.mu.Lock()
	if q.given.from != nil { // else there is nothing, and a look would take a page
		q.collect()
	}
	r.closed.Store(true)
	s := q.giveBack()
	r.mu.Unlock()
	if s != nil {
		s.serve()
	}
}

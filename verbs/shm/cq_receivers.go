package shm

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// QPs whose receives complete on a CQ. A poll looks at their receive queues one after another, which is fast while most polls find
// records. A CQ of many QPs whose polls find few asks their peers to name the QPs that have records; see cq_names.go.

// maxPolled is the number of QPs of a CQ up to which it never asks: to look at them takes no longer than to read a name.
const maxPolled = 64

// receivers holds the QPs whose receives complete on a CQ.
type receivers struct {
	all    cowList[qp]
	polled cowList[qp]    // connected QPs, at each of which every poll looks
	others relaxedCounter // number of the other connected QPs: len(names.queues)

	// Guarded by the CQ's lock.
	next  int // index in polled at which the next poll begins
	depth int // sum of the queues' depths
	names names
}

// setReceiver adds or removes a QP whose receives complete here.
func (q *cq) setReceiver(p *qp, is bool) {
	if !q.receivers.all.set(p, is) {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if is {
		q.receivers.depth += p.cap.MaxRecvWR
	} else {
		q.receivers.depth -= p.cap.MaxRecvWR
	}
	q.ctx.async.watchOverrun(q, q.receivers.depth > q.cqe)
}

// connectReceiver decides how polls find the records of a QP that is about to be in RTR, and tells its peer.
func (q *cq) connectReceiver(p *qp, peer *peerContext) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := &q.receivers
	number := uint32(0)
	if len(r.all.all()) <= maxPolled {
		r.polled.set(p, true)
	} else {
		number = q.arrivalNumber()
		r.names.add(&p.recv, peer, number)
		r.others.Store(uint32(len(r.names.queues)))
	}
	atomic.StoreUint32(&p.entry.arrivals, number)
}

// disconnectReceiver ends what connectReceiver has begun, before the QP releases the peer.
func (q *cq) disconnectReceiver(p *qp, peer *peerContext) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := &q.receivers
	r.polled.set(p, false)
	if p.recv.namedTo == nil {
		r.names.list.remove(&p.recv)
		return
	}
	r.names.remove(&p.recv, peer)
	r.others.Store(uint32(len(r.names.queues)))
}

// pollReceivers polls the receive queues into wc, after the n completions that are already there. It begins after the receiver with
// which the last poll ended, so that a fast receiver cannot starve others.
func (q *cq) pollReceivers(wc []verbs.WC, times []uint64, n int) (all int, failed *qp, generation uint32) {
	r := &q.receivers
	if r.others.Load() != 0 {
		return q.pollListed(wc, times, n)
	}
	list := r.polled.all()
	at := r.next
	for left := len(list); left > 0 && n < len(wc); left-- {
		if at >= len(list) {
			at = 0
		}
		p := list[at]
		at++
		got, ok := p.recv.poll(wc[n:], times[min(n, len(times)):])
		if n += got; got > 0 {
			r.next = at
		}
		if !ok {
			return n, p, p.generation.Load()
		}
	}
	return n, nil, 0
}

// pollListed is pollReceivers for a CQ that asks for names.
func (q *cq) pollListed(wc []verbs.WC, times []uint64, n int) (all int, failed *qp, generation uint32) {
	m := &q.receivers.names
	l := &m.list
	for _, p := range q.receivers.polled.all() {
		if p.recv.ready() {
			l.add(&p.recv)
		}
	}
	for n < len(wc) && (l.hasWork() || m.listMore(len(wc)-n)) {
		p := l.first
		l.remove(p)
		got, ok := p.poll(wc[n:], times[min(n, len(times)):])
		m.countRecords(got)
		if n += got; !ok {
			return n, p.qp, p.qp.generation.Load()
		}
		if n == len(wc) && p.ready() {
			l.add(p)
		}
	}
	return n, nil, 0
}

package shm

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// QPs on SRQs whose receives complete on a CQ. A poll of the CQ services them: it completes the receives that peers have used, and
// supplies the receives that they ask for. A poll looks at all of up to maxPolled QPs, and at all QPs of XRC, whose receives may
// complete on several CQs. Others are found as receivers are, see cq_names.go.

// srqReceivers holds the QPs on SRQs whose receives complete on a CQ.
type srqReceivers struct {
	polled cowList[qp]    // QPs at each of which every poll looks
	next   relaxedCounter // index in polled at which the next poll begins
	turn   relaxedCounter // counts polls
	others relaxedCounter // number of the other QPs: len(names.queues)
	names  names          // guarded by the CQ's lock
}

func (r *srqReceivers) any() bool { return len(r.polled.all()) > 0 || r.others.Load() != 0 }

// connectSRQReceiver decides how polls find the work of a QP on an SRQ that is about to be in RTR, and tells its peer.
func (q *cq) connectSRQReceiver(p *qp, peer *peerContext) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := &q.srqReceivers
	number := uint32(0)
	if len(r.polled.all())+len(r.names.queues) > maxPolled {
		number = q.arrivalNumber()
		r.names.add(&p.recv, peer, number)
		r.others.Store(uint32(len(r.names.queues)))
		r.polled.set(p, false)
	}
	atomic.StoreUint32(&p.entry.arrivals, number)
}

// disconnectSRQReceiver ends what connectSRQReceiver has begun, before the QP releases the peer.
func (q *cq) disconnectSRQReceiver(p *qp, peer *peerContext) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := &q.srqReceivers
	if p.recv.namedTo == nil {
		return
	}
	r.names.remove(&p.recv, peer)
	r.others.Store(uint32(len(r.names.queues)))
	r.polled.set(p, !p.closed.Load())
}

// serviceSRQs services the QPs that have work, and returns the number of completions that it has stored in wc. Those at which every
// poll looks and those that are named come first in turn.
func (q *cq) serviceSRQs(wc []verbs.WC) (n int) {
	r := &q.srqReceivers
	if r.others.Load() == 0 {
		return q.servicePolled(wc)
	}
	namedFirst := r.turn.Add(1)&1 != 0
	if namedFirst {
		n = q.serviceNamed(wc)
	}
	if n == 0 || n < len(wc) {
		n += q.servicePolled(wc[n:])
	}
	if !namedFirst && (n == 0 || n < len(wc)) {
		n += q.serviceNamed(wc[n:])
	}
	return n
}

// servicePolled looks at all QPs at which every poll looks.
func (q *cq) servicePolled(wc []verbs.WC) (n int) {
	r := &q.srqReceivers
	list := r.polled.all()
	at := int(r.next.Load())
	for left := len(list); left > 0; left-- {
		if at >= len(list) {
			at = 0
		}
		got := list[at].serviceSRQIfNeeded(q, wc[n:])
		at++
		if n += got; got > 0 {
			r.next.Store(uint32(at))
		}
		if n > 0 && n == len(wc) {
			break
		}
	}
	return n
}

// serviceNamed services each QP once that is in the list. One that still has work afterwards, since wc is full or another QP has
// claimed the receives, is at the end of the list then.
func (q *cq) serviceNamed(wc []verbs.WC) (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	m := &q.srqReceivers.names
	l := &m.list
	var again *recvQueue
	for left := len(m.queues); left > 0 && (n == 0 || n < len(wc)); left-- {
		if !l.hasWork() || l.first == again {
			last := l.last
			m.listMore(max(1, len(wc)-n))
			if !l.hasWork() || l.first == again && l.last == last {
				break
			}
		}
		p := l.first
		l.remove(p)
		q.mu.Unlock() // serviceSRQ acquires it after the lock of the SRQ's pool
		got := p.qp.serviceSRQ(q, wc[n:])
		q.mu.Lock()
		n += got
		m.countRecords(got)
		if p.namedTo == m && p.hasWork() {
			if l.add(p); again == nil {
				again = p
			}
		}
	}
	return n
}

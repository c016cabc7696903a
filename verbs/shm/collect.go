package shm

import "github.com/ibperf/ibperf/verbs"

// Completions of shared receives; see shared.go.

// collect turns the records of the peer into completions. Those of the CQ that is polled are
// written to wc, and left where they are if that is full; others are added to their CQ, whose
// notifier the peer has notified. ok is false if a record ends the connection.
func (q *qp) collect(polled *cq, wc []verbs.WC) (n int, ok bool) {
	r := &q.recv
	var s *srq
	var to *cq // locked, as the next receive is mostly of the same queue
	var e ownWC
	i := r.next.Load()
	for ok = true; ok; i++ {
		w1, there := r.record(i)
		if !there {
			break
		}
		if ok = w1&recFault == 0 && i != r.posted.Load(); !ok {
			break
		}
		w := r.lent[i&(r.layout.n-1)]
		s = w.srq
		if c := s.cqFor(q); c != to {
			if to != nil {
				to.mu.Unlock()
			}
			c.mu.Lock()
			to = c
		}
		direct := len(wc) > 0 && to == polled && to.pollsDirectly(s)
		if direct && n == len(wc) {
			break
		}
		if direct {
			ok = r.complete(i, w1, &w.recvSlot, &wc[n])
			n++
		} else if !s.closed.Load() { // else it has no completions any more
			ok = r.complete(i, w1, &w.recvSlot, &e.wc)
			e.places = &s.polled
			s.added++
			to.pushLocked(&e, r.time(i))
		}
		s.usedUp(w)
	}
	if to != nil {
		to.mu.Unlock()
	}
	r.next.Store(i)
	if ok && s != nil {
		s.offer()
	}
	return n, ok
}

// pollsDirectly tells whether completions of the queue's receives need not lie in the CQ before
// they are polled: none is there that comes first, and they cannot overrun it.
func (q *cq) pollsDirectly(s *srq) bool {
	return q.head == q.tail.Load() && s.max <= q.cqe && !q.overrun && !s.closed.Load()
}

// cqFor is the CQ of the completions of the queue's receives that the QP uses up.
func (s *srq) cqFor(q *qp) *cq {
	if s.cq != nil {
		return s.cq
	}
	return q.recvCQ
}

package shm

import "github.com/ibperf/ibperf/verbs"

// Completions of receives that were supplied from SRQs; see srq_supply.go.

// completeReceives converts the peer's records into completions. Completions of the polled CQ are
// written to wc, and stay in the records when wc is full. Others are added to the ring of their CQ,
// whose notifier the peer has notified. ok is false if a record ends the connection.
func (q *qp) completeReceives(polled *cq, wc []verbs.WC) (n int, ok bool) {
	r := &q.recv
	var s *srq
	var to *cq // stays locked, since the next receive mostly has the same CQ
	var e ringWC
	at := r.newRecords()
	for ok = true; ok && at.next(); r.next.Store(at.i + 1) {
		if ok = !at.ends(); !ok {
			break
		}
		w := r.supplied[at.i&(r.layout.n-1)]
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
			ok = r.complete(at.i, at.w1, &w.recvSlot, &wc[n])
			n++
		} else if !s.closed.Load() { // a destroyed SRQ has no completions
			ok = r.complete(at.i, at.w1, &w.recvSlot, &e.wc)
			e.counter = &s.completionsPolled
			s.completionsAdded++
			to.pushLocked(&e, r.time(at.i))
		}
		s.consume(w)
	}
	if to != nil {
		to.mu.Unlock()
	}
	if ok && s != nil {
		s.supplyWaiting()
	}
	return n, ok
}

// pollsDirectly reports whether completions of the SRQ's receives can bypass the ring: it holds no
// earlier ones, and they cannot overrun the CQ.
func (q *cq) pollsDirectly(s *srq) bool {
	return q.head == q.tail.Load() && s.max <= q.cqe && !q.overrun && !s.closed.Load()
}

// cqFor returns the CQ of the SRQ's completions on the QP.
func (s *srq) cqFor(q *qp) *cq {
	if s.cq != nil {
		return s.cq
	}
	return q.recvCQ
}

package shm

import "github.com/ibperf/ibperf/verbs"

// The QPs whose receives complete on a CQ.

// setReceiver adds a QP whose receives complete here, or removes it, and counts how many may.
func (q *cq) setReceiver(p *qp, is bool) {
	if !q.receivers.set(p, is) {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if is {
		q.depth += p.cap.MaxRecvWR
	} else {
		q.depth -= p.cap.MaxRecvWR
	}
	q.ctx.async.watch(q, q.depth > q.cqe)
}

// pollReceivers adds completions of receives to the n that are there. It begins behind the
// receiver that the last poll ended with, so that none waits for one that is faster.
func (q *cq) pollReceivers(wc []verbs.WC, times []uint64, n int) (all int, failed *qp, life uint32) {
	list := q.receivers.all()
	at := q.nextReceiver
	for left := len(list); left > 0 && n < len(wc); left-- {
		if at >= len(list) {
			at = 0
		}
		p := list[at]
		at++
		got, ok := p.recv.poll(wc[n:], times[min(n, len(times)):])
		if n += got; got > 0 {
			q.nextReceiver = at
		}
		if !ok {
			return n, p, p.life.Load()
		}
	}
	return n, nil, 0
}

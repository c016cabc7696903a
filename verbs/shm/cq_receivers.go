package shm

import "github.com/ibperf/ibperf/verbs"

// QPs whose receives complete on a CQ.

// setReceiver adds or removes a QP whose receives complete here, and updates recvDepth.
func (q *cq) setReceiver(p *qp, is bool) {
	if !q.receivers.set(p, is) {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if is {
		q.recvDepth += p.cap.MaxRecvWR
	} else {
		q.recvDepth -= p.cap.MaxRecvWR
	}
	q.ctx.async.watchOverrun(q, q.recvDepth > q.cqe)
}

// pollReceivers polls the receive queues into wc, after the n completions that are already there.
// It begins after the receiver with which the last poll ended, so that a fast receiver cannot
// starve others.
func (q *cq) pollReceivers(wc []verbs.WC, times []uint64, n int) (all int, failed *qp, generation uint32) {
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
			return n, p, p.generation.Load()
		}
	}
	return n, nil, 0
}

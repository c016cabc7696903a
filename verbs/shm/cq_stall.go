package shm

import "slices"

// A CQ knows the QPs whose sends it completes and that have work waiting: whoever polls
// it carries that work out, and who arms it has the engine do so.

// stall notes that a QP has work that waits, or has none any more.
func (q *cq) stall(p *qp, waits bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if waits {
		q.stalled = append(q.stalled, p)
	} else {
		q.stalled = slices.DeleteFunc(q.stalled, func(x *qp) bool { return x == p })
	}
	q.stalls.Store(int32(len(q.stalled)))
}

// help lets the work of QPs that waits proceed: the thread that polls has nothing
// better to do.
func (q *cq) help() {
	for i := 0; ; i++ {
		q.mu.Lock()
		if i >= len(q.stalled) {
			q.mu.Unlock()
			return
		}
		p := q.stalled[i]
		q.mu.Unlock()
		p.progress(true)
	}
}

// hasten makes the engine take over from a thread that is going to sleep.
func (q *cq) hasten() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range q.stalled {
		q.ctx.engine.wake(p)
	}
}

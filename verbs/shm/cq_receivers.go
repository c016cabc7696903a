package shm

import "slices"

// addReceiver and removeReceiver keep the list of QPs whose receives complete here.
// Who looks at an older list sees nothing of what is added behind it.
func (q *cq) addReceiver(p *qp) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.setReceivers(append(*q.receivers.Load(), p), p.recv.depth)
}

func (q *cq) removeReceiver(p *qp) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := *q.receivers.Load()
	switch i := slices.Index(list, p); {
	case i < 0:
		return
	case i == len(list)-1:
		list = list[:i:i] // what is added next goes elsewhere
	default:
		list = slices.Concat(list[:i], list[i+1:])
	}
	q.setReceivers(list, -p.recv.depth)
}

func (q *cq) setReceivers(list []*qp, change int) {
	q.receivers.Store(&list)
	q.depth += change
	q.ctx.async.watch(q, q.depth > q.cqe)
}

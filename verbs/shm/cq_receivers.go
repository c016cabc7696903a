package shm

import (
	"slices"
	"sync/atomic"
)

// qpList is a list of QPs that is changed under a lock and read without: who looks at an older
// list sees nothing of what is added behind it.
type qpList struct{ list atomic.Pointer[[]*qp] }

func (l *qpList) all() []*qp {
	if list := l.list.Load(); list != nil {
		return *list
	}
	return nil
}

// add and remove tell whether they have changed the list.
func (l *qpList) add(p *qp) bool {
	list := l.all()
	if slices.Contains(list, p) {
		return false
	}
	list = append(list, p)
	l.list.Store(&list)
	return true
}

func (l *qpList) remove(p *qp) bool {
	list := l.all()
	switch i := slices.Index(list, p); {
	case i < 0:
		return false
	case i == len(list)-1:
		list = list[:i:i] // what is added next goes elsewhere
	default:
		list = slices.Concat(list[:i], list[i+1:])
	}
	l.list.Store(&list)
	return true
}

// addReceiver and removeReceiver keep the list of QPs whose receives complete here.
func (q *cq) addReceiver(p *qp) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.receivers.add(p) {
		q.deepen(p.recv.depth)
	}
}

func (q *cq) removeReceiver(p *qp) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.receivers.remove(p) {
		q.deepen(-p.recv.depth)
	}
}

func (q *cq) deepen(change int) {
	q.depth += change
	q.ctx.async.watch(q, q.depth > q.cqe)
}

// addLender and removeLender keep the list of QPs with shared receives that complete here.
func (q *cq) addLender(p *qp) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lenders.add(p)
}

func (q *cq) removeLender(p *qp) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lenders.remove(p)
}

package shm

import (
	"slices"
	"sync"
	"sync/atomic"
)

// qpList is a list of QPs that anybody may look at while it is changed: who looks at an older one
// sees nothing of what is added behind it.
type qpList struct {
	mu   sync.Mutex // guards changes
	list atomic.Pointer[[]*qp]
}

func (l *qpList) all() []*qp {
	if list := l.list.Load(); list != nil {
		return *list
	}
	return nil
}

// add and remove tell whether they have changed the list.
func (l *qpList) add(p *qp) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.all()
	if slices.Contains(list, p) {
		return false
	}
	list = append(list, p)
	l.list.Store(&list)
	return true
}

func (l *qpList) remove(p *qp) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.all()
	i := slices.Index(list, p)
	if i < 0 {
		return false
	}
	list = slices.Concat(list[:i], list[i+1:])
	l.list.Store(&list)
	return true
}

// addReceiver and removeReceiver keep the list of QPs whose receives complete here.
func (q *cq) addReceiver(p *qp) {
	if q.receivers.add(p) {
		q.deepen(p.recv.depth)
	}
}

func (q *cq) removeReceiver(p *qp) {
	if q.receivers.remove(p) {
		q.deepen(-p.recv.depth)
	}
}

// deepen counts receives that can complete here.
func (q *cq) deepen(change int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.depth += change
	q.ctx.async.watch(q, q.depth > q.cqe)
}

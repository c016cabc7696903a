package shm

import (
	"sync"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// asyncEvents is the queue of a context's asynchronous events. Its lock and those
// of acks are taken last, so that events can be raised under any other.
type asyncEvents struct {
	mu      sync.Mutex
	queue   []verbs.AsyncEvent
	crowded map[*cq]struct{} // CQs that peers can overrun
	wake    chan struct{}    // holds one token while there may be something new
}

func newAsyncEvents() asyncEvents {
	return asyncEvents{crowded: map[*cq]struct{}{}, wake: make(chan struct{}, 1)}
}

// acks counts the events of an object that were fetched and are not acknowledged.
type acks struct {
	mu   sync.Mutex
	cond *sync.Cond
	n    int
	gone bool // the object is destroyed: guarded by the lock of asyncEvents
}

// acked is an object whose asynchronous events are acknowledged: a QP, CQ or SRQ.
type acked interface{ asyncAcks() *acks }

func (a *acks) add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n += n
	if a.n == 0 && a.cond != nil {
		a.cond.Broadcast()
	}
}

func (a *acks) wait() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cond == nil {
		a.cond = sync.NewCond(&a.mu)
	}
	for a.n > 0 {
		a.cond.Wait()
	}
}

// acksOf returns the count of the object that the event is about, or nil for an
// event of a port or the device.
func acksOf(e verbs.AsyncEvent) *acks {
	for _, o := range [...]any{e.QP, e.CQ, e.SRQ} {
		if o, ok := o.(acked); ok {
			return o.asyncAcks()
		}
	}
	return nil
}

// raise queues an event. It never waits and may be called under any lock.
func (c *context) raise(e verbs.AsyncEvent) {
	a := acksOf(e)
	c.async.mu.Lock()
	defer c.async.mu.Unlock()
	if a != nil && a.gone {
		return
	}
	c.async.queue = append(c.async.queue, e)
	c.async.signal()
}

func (q *asyncEvents) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// overrunLooks is how often a CQ that peers can overrun is looked at.
const overrunLooks = 10 * time.Millisecond

// waits are timers that nobody waits for: who waits again and again for events that never
// come is to leave nothing behind.
var waits = sync.Pool{New: func() any { return time.NewTimer(time.Hour) }}

// GetAsyncEvent waits for an event of the context or one of its objects.
func (c *context) GetAsyncEvent(timeout time.Duration) (verbs.AsyncEvent, error) {
	timer, end := waits.Get().(*time.Timer), time.Now().Add(timeout)
	defer waits.Put(timer)
	defer timer.Stop()
	for {
		crowded := c.async.toLookAt()
		for _, q := range crowded {
			q.look()
		}
		if e, ok := c.async.take(); ok {
			return e, nil
		}
		left := time.Until(end)
		if left <= 0 {
			return verbs.AsyncEvent{}, verbs.ErrTimeout
		}
		if len(crowded) > 0 {
			left = min(left, overrunLooks)
		}
		timer.Reset(left) // one wait: a sleeper costs no CPU
		select {
		case <-c.ended:
			return verbs.AsyncEvent{}, c.err("get_async_event", ebadf, closedText)
		case <-timer.C:
		case <-c.async.wake:
		}
	}
}

// watch says whether the CQ is to be looked at while somebody waits for events.
func (q *asyncEvents) watch(cq *cq, crowded bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !crowded {
		delete(q.crowded, cq)
		return
	}
	q.crowded[cq] = struct{}{}
	q.signal()
}

func (q *asyncEvents) toLookAt() (list []*cq) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for cq := range q.crowded {
		list = append(list, cq)
	}
	return list
}

func (q *asyncEvents) take() (e verbs.AsyncEvent, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) == 0 {
		return e, false
	}
	e, q.queue = q.queue[0], q.queue[1:]
	if a := acksOf(e); a != nil {
		a.add(1)
	}
	if len(q.queue) > 0 {
		q.signal() // for another who waits
	}
	return e, true
}

func (c *context) AckAsyncEvent(e verbs.AsyncEvent) {
	if a := acksOf(e); a != nil {
		a.add(-1)
	}
}

// forget drops the queued events of an object that is destroyed and lets no more
// be raised. The caller's destroy then waits for the acknowledgement of those that
// were fetched; it must hold no lock in the meantime, since whoever acknowledges
// may use the object first.
func (c *context) forget(a *acks) {
	c.async.mu.Lock()
	defer c.async.mu.Unlock()
	a.gone = true
	var rest []verbs.AsyncEvent
	for _, e := range c.async.queue {
		if acksOf(e) != a {
			rest = append(rest, e)
		}
	}
	c.async.queue = rest
}

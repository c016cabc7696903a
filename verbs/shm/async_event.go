package shm

import (
	"slices"
	"sync"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/lockorder"
)

// asyncEvents is the queue of a context's asynchronous events. Its lock is acquired last, so that
// events can be raised while any other lock is held.
type asyncEvents struct {
	mu           lockorder.Mutex[lockorder.AsyncEvents]
	queue        []verbs.AsyncEvent
	overrunnable cowList[cq]   // CQs that peers can overrun
	wake         chan struct{} // has a token while a waiter should check again
	acked        sync.Cond     // signaled when an object has no unacknowledged events; uses mu
}

func (l *asyncEvents) init() { l.wake, l.acked.L = make(chan struct{}, 1), &l.mu }

// acks counts the events of an object that were fetched and not acknowledged: asynchronous events,
// and completion events of a CQ. The lock of asyncEvents guards it.
type acks struct {
	n         int
	destroyed bool // no more events are raised for the object
}

// eventSource is an object with asynchronous events: a QP, CQ or SRQ.
type eventSource interface{ asyncAcks() *acks }

// addUnacked adds n to the unacknowledged events of an object. A negative n acknowledges.
func (l *asyncEvents) addUnacked(a *acks, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.n += n; a.n <= 0 {
		l.acked.Broadcast()
	}
}

// awaitAcks waits until all fetched events of an object are acknowledged. The caller must hold no
// lock, since the acknowledging thread may use the object first.
func (l *asyncEvents) awaitAcks(a *acks) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for a.n > 0 {
		l.acked.Wait()
	}
}

// acksOf returns the counter of the event's object, or nil for an event of a port or of the device.
func acksOf(e verbs.AsyncEvent) *acks {
	for _, o := range [...]any{e.QP, e.CQ, e.SRQ} {
		if o, ok := o.(eventSource); ok {
			return o.asyncAcks()
		}
	}
	return nil
}

// raise queues an event. It never blocks and may be called under any lock.
func (c *context) raise(e verbs.AsyncEvent) {
	c.async.mu.Lock()
	defer c.async.mu.Unlock()
	if a := acksOf(e); a == nil || !a.destroyed {
		c.async.queue = append(c.async.queue, e)
		c.async.signal()
	}
}

func (l *asyncEvents) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// overrunCheckInterval is the interval at which a waiter for events checks the CQs that peers can
// overrun.
const overrunCheckInterval = 10 * time.Millisecond

// idleTimers recycles timers, so that a caller in a loop of timeouts leaves no garbage.
var idleTimers = sync.Pool{New: func() any { return time.NewTimer(time.Hour) }}

// GetAsyncEvent waits for an event of the context or one of its objects.
func (c *context) GetAsyncEvent(timeout time.Duration) (verbs.AsyncEvent, error) {
	timer, end := idleTimers.Get().(*time.Timer), time.Now().Add(timeout)
	defer idleTimers.Put(timer)
	defer timer.Stop()
	for {
		left := time.Until(end)
		wait := left // one sleep costs no CPU time
		for _, q := range c.async.overrunnable.all() {
			q.checkOverrun()
			wait = min(left, overrunCheckInterval)
		}
		if e, ok := c.async.take(); ok {
			return e, nil
		}
		if left <= 0 {
			return verbs.AsyncEvent{}, verbs.ErrTimeout
		}
		timer.Reset(wait)
		select {
		case <-c.closing:
			return verbs.AsyncEvent{}, c.err("get_async_event", ebadf, closedText)
		case <-timer.C:
		case <-c.async.wake:
		}
	}
}

// watchOverrun adds the CQ to those that waiters for events check, or removes it.
func (l *asyncEvents) watchOverrun(q *cq, canOverrun bool) {
	if l.overrunnable.set(q, canOverrun) && canOverrun {
		l.signal()
	}
}

func (l *asyncEvents) take() (e verbs.AsyncEvent, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return e, false
	}
	e, l.queue = l.queue[0], l.queue[1:]
	if a := acksOf(e); a != nil {
		a.n++
	}
	if len(l.queue) > 0 {
		l.signal() // for another waiter
	}
	return e, true
}

func (c *context) AckAsyncEvent(e verbs.AsyncEvent) {
	if a := acksOf(e); a != nil {
		c.async.addUnacked(a, -1)
	}
}

// forget drops the queued events of an object that is being destroyed and prevents new ones.
// Destroying the object then waits for acknowledgement of the fetched events.
func (l *asyncEvents) forget(a *acks) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.destroyed = true
	l.queue = slices.DeleteFunc(l.queue, func(e verbs.AsyncEvent) bool { return acksOf(e) == a })
}

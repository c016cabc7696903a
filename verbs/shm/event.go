package shm

import (
	"slices"
	"sync"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// asyncEvents is the queue of a context's asynchronous events. Its lock is taken last, so that
// events can be raised under any other.
type asyncEvents struct {
	mu      sync.Mutex
	queue   []verbs.AsyncEvent
	crowded list[cq]      // that peers can overrun
	wake    chan struct{} // holds one token while there may be something new
	acked   sync.Cond     // of mu: an object has no more events to acknowledge
}

func (l *asyncEvents) init() { l.wake, l.acked.L = make(chan struct{}, 1), &l.mu }

// acks counts the events of an object, asynchronous ones and a CQ's events of completions, that
// were fetched and are not acknowledged. The lock of asyncEvents guards it.
type acks struct {
	n    int
	gone bool // the object is destroyed
}

// eventSource is an object that asynchronous events are about: a QP, CQ or SRQ.
type eventSource interface{ asyncAcks() *acks }

// count counts events that were fetched, or with n < 0 acknowledged.
func (l *asyncEvents) count(a *acks, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.n += n; a.n <= 0 {
		l.acked.Broadcast()
	}
}

// await waits until all events of an object are acknowledged. Its caller must hold no lock, since
// whoever acknowledges may use the object first.
func (l *asyncEvents) await(a *acks) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for a.n > 0 {
		l.acked.Wait()
	}
}

// acksOf returns the count of the object that the event is about, or nil for an
// event of a port or the device.
func acksOf(e verbs.AsyncEvent) *acks {
	for _, o := range [...]any{e.QP, e.CQ, e.SRQ} {
		if o, ok := o.(eventSource); ok {
			return o.asyncAcks()
		}
	}
	return nil
}

// raise queues an event. It never waits and may be called under any lock.
func (c *context) raise(e verbs.AsyncEvent) {
	c.async.mu.Lock()
	defer c.async.mu.Unlock()
	if a := acksOf(e); a == nil || !a.gone {
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

// overrunLooks is how often a CQ that peers can overrun is looked at.
const overrunLooks = 10 * time.Millisecond

// timers are those that nobody waits for: who waits again and again for events that never
// come is to leave nothing behind.
var timers = sync.Pool{New: func() any { return time.NewTimer(time.Hour) }}

// GetAsyncEvent waits for an event of the context or one of its objects.
func (c *context) GetAsyncEvent(timeout time.Duration) (verbs.AsyncEvent, error) {
	timer, end := timers.Get().(*time.Timer), time.Now().Add(timeout)
	defer timers.Put(timer)
	defer timer.Stop()
	for {
		left := time.Until(end)
		wait := left // once: a sleeper costs no CPU
		for _, q := range c.async.crowded.all() {
			q.look()
			wait = min(left, overrunLooks)
		}
		if e, ok := c.async.take(); ok {
			return e, nil
		}
		if left <= 0 {
			return verbs.AsyncEvent{}, verbs.ErrTimeout
		}
		timer.Reset(wait)
		select {
		case <-c.ended:
			return verbs.AsyncEvent{}, c.err("get_async_event", ebadf, closedText)
		case <-timer.C:
		case <-c.async.wake:
		}
	}
}

// watch says whether the CQ is to be looked at while somebody waits for events.
func (l *asyncEvents) watch(q *cq, crowded bool) {
	if l.crowded.set(q, crowded) && crowded {
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
		l.signal() // for another who waits
	}
	return e, true
}

func (c *context) AckAsyncEvent(e verbs.AsyncEvent) {
	if a := acksOf(e); a != nil {
		c.async.count(a, -1)
	}
}

// forget drops the queued events of an object that is destroyed and lets no more
// be raised. Destroy then waits for the acknowledgement of those that were fetched.
func (l *asyncEvents) forget(a *acks) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.gone = true
	l.queue = slices.DeleteFunc(l.queue, func(e verbs.AsyncEvent) bool { return acksOf(e) == a })
}

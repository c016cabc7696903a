package shm

import (
	"sync"
	"time"
)

// engine carries out what PostSend could not do at once, in a goroutine of its
// own, as a device goes on working without its application. An application that
// polls carries it out itself, sooner (see cq.help); to wake a goroutine, on a CPU
// that the application spins on, costs more than the work. So the engine looks
// after work that waits only every lazyTick, unless somebody sleeps for it.
type engine struct {
	mu    sync.Mutex
	queue map[*qp]struct{} // with work that waits
	idle  bool             // nothing was queued for a while: it sleeps until it is woken
	bell  chan struct{}
	done  chan struct{}
	ended chan struct{}
}

const (
	lazyTick  = time.Millisecond
	lazyTicks = 20 // without work, before the engine sleeps
	busyTick  = 20 * time.Microsecond
)

func (e *engine) init() {
	e.queue, e.idle = map[*qp]struct{}{}, true
	e.bell, e.done, e.ended = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	go e.run()
}

func (e *engine) stop() {
	close(e.done)
	<-e.ended
}

// wake makes the engine look at the QP at once, watch within a tick.
func (e *engine) wake(q *qp)  { e.add(q, true) }
func (e *engine) watch(q *qp) { e.add(q, false) }

func (e *engine) add(q *qp, now bool) {
	e.mu.Lock()
	e.queue[q] = struct{}{}
	now = now || e.idle
	e.idle = false
	e.mu.Unlock()
	if !now {
		return
	}
	select {
	case e.bell <- struct{}{}:
	default:
	}
}

func (e *engine) run() {
	defer close(e.ended)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ticks := 0; ; ticks++ {
		switch next := e.round(); {
		case !next.IsZero():
			ticks = 0
			timer.Reset(time.Until(next))
		case ticks < lazyTicks || !e.rest():
			timer.Reset(lazyTick)
		}
		select {
		case <-e.bell:
			ticks = 0
		case <-timer.C:
		case <-e.done:
			return
		}
	}
}

// rest makes the next request to watch a wake-up, unless there is work already.
func (e *engine) rest() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.idle = len(e.queue) == 0
	return e.idle
}

// round lets every QP with waiting work proceed and returns the time at which to
// look again, the zero time if no work is left.
func (e *engine) round() (next time.Time) {
	e.mu.Lock()
	list := make([]*qp, 0, len(e.queue))
	for q := range e.queue {
		list = append(list, q)
	}
	clear(e.queue)
	e.mu.Unlock()
	for _, q := range list {
		again, ok := q.progress(false)
		tick := time.Now().Add(lazyTick)
		switch {
		case ok && again.IsZero():
			continue
		case !q.sendCQ.bell.armed() || again.After(tick): // what it waits for may come before its time
			again = tick
		case !ok:
			again = time.Now().Add(busyTick)
		}
		e.mu.Lock()
		e.queue[q] = struct{}{}
		e.mu.Unlock()
		if next.IsZero() || again.Before(next) {
			next = again
		}
	}
	return next
}

package shm

import (
	"sync"
	"time"
)

// engine carries out what PostSend could not do at once, in a goroutine of its
// own, as a device goes on working without its application.
type engine struct {
	mu    sync.Mutex
	queue map[*qp]struct{} // with work that waits
	bell  chan struct{}
	done  chan struct{}
	ended chan struct{}
}

func (e *engine) init() {
	e.queue = map[*qp]struct{}{}
	e.bell, e.done, e.ended = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	go e.run()
}

func (e *engine) stop() {
	close(e.done)
	<-e.ended
}

// wake makes the engine look at the QP.
func (e *engine) wake(q *qp) {
	e.mu.Lock()
	e.queue[q] = struct{}{}
	e.mu.Unlock()
	select {
	case e.bell <- struct{}{}:
	default:
	}
}

func (e *engine) run() {
	defer close(e.ended)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if next := e.round(); !next.IsZero() {
			timer.Reset(time.Until(next))
		}
		select {
		case <-e.bell:
		case <-timer.C:
		case <-e.done:
			return
		}
	}
}

// round lets every QP with waiting work proceed and returns the earliest time
// at which one wants to be looked at again.
func (e *engine) round() (next time.Time) {
	e.mu.Lock()
	list := make([]*qp, 0, len(e.queue))
	for q := range e.queue {
		list = append(list, q)
	}
	clear(e.queue)
	e.mu.Unlock()
	for _, q := range list {
		again := q.progress()
		if again.IsZero() {
			continue
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

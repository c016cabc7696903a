package shm

import (
	"slices"
	"sync"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// Who makes progress with what PostSend could not do at once:
//
//	the poster      later PostSends, of what may be overtaken
//	the poller      who polls the send CQ carries out the work of QPs that wait, and who polls
//	                any CQ lends shared receives (cq.help): it has nothing better to do
//	the engine      a goroutine of the context, as a device goes on working without its
//	                application: at once if somebody sleeps for the CQ or if the work is a READ
//	                that its requester must be able to watch, else every lazyTick. To wake a
//	                goroutine on a CPU that the application spins on costs more than the work.
//	                Requests that the fault delay holds back it carries out when they are due.
//
// All of them call qp.proceed: the poster as it has the QP's lock, the others by qp.progress, which
// does nothing while another one is at work on the QP.

// engine is that goroutine.
type engine struct {
	mu    sync.Mutex
	queue map[*qp]struct{} // with work that waits
	idle  bool             // nothing was queued for a while: it sleeps until it is woken
	wake  chan struct{}
	done  chan struct{}
	ended chan struct{}
	alarm *alarm // in place of wake and idle, on a device that delays requests; else nil
}

const (
	lazyTick  = time.Millisecond
	lazyTicks = 20 // without work, before the engine sleeps
	busyTick  = 20 * time.Microsecond
)

func (e *engine) init(delays bool) (err error) {
	e.queue, e.idle = map[*qp]struct{}{}, !delays
	e.wake, e.done, e.ended = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	if !delays {
		go e.run()
		return nil
	}
	if e.alarm, err = newAlarm(); err == nil {
		go e.runByAlarm()
	}
	return err
}

func (e *engine) stop() {
	close(e.done)
	if e.alarm != nil {
		e.alarm.set(time.Now())
	}
	<-e.ended
}

// add has the engine look after a QP that has work waiting, or something new to find out; under
// the QP's lock.
func (e *engine) add(q *qp) {
	if e.alarm != nil {
		e.queueUp(q, false)
		if e.alarm.note(q.slot(q.pendHead).notBefore) {
			q.then |= rouseEngine
		}
		return
	}
	now := q.sendCQ.notifier.armed() || q.pendHead != q.pendTail && q.engineOnly(&q.slot(q.pendHead).wr)
	e.queueUp(q, now)
}

// queueUp has the engine look after the QP at once, or within a tick.
func (e *engine) queueUp(q *qp, now bool) {
	e.mu.Lock()
	e.queue[q] = struct{}{}
	now = now || e.idle
	e.idle = false
	e.mu.Unlock()
	if !now {
		return
	}
	if e.alarm != nil {
		e.alarm.set(time.Now())
		return
	}
	select {
	case e.wake <- struct{}{}:
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
		case ticks < lazyTicks || !e.setIdle():
			timer.Reset(lazyTick)
		}
		select {
		case <-e.wake:
			ticks = 0
		case <-timer.C:
		case <-e.done:
			return
		}
	}
}

// runByAlarm is run on a device that delays requests.
func (e *engine) runByAlarm() {
	defer close(e.ended)
	for {
		e.alarm.await()
		select {
		case <-e.done:
			e.alarm.close()
			return
		default:
		}
		if next := e.round(); !next.IsZero() {
			e.alarm.set(next)
		}
	}
}

// setIdle has the next QP that is queued wake the engine, which is about to sleep. It is false if
// there is work already.
func (e *engine) setIdle() bool {
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
		case !q.sendCQ.notifier.armed() && !q.ctx.dev.delays() || again.After(tick): // what it waits for may come before its time
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

// A CQ knows the QPs whose sends it completes and that have work waiting.

// noteWaiting notes that a QP has work that waits, or has none any more.
func (q *cq) noteWaiting(p *qp, waits bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if waits {
		q.waiters = append(q.waiters, p)
	} else {
		q.waiters = slices.DeleteFunc(q.waiters, func(x *qp) bool { return x == p })
	}
	q.waiting.Store(uint32(len(q.waiters)))
}

// helps tells whether who polls has more to do than to look.
func (q *cq) helps() bool { return q.waiting.Load() != 0 || len(q.lenders.all()) > 0 }

// help lets the work of QPs that waits proceed, and serves peers that use shared receives: the
// thread that polls has nothing better to do. It returns how many completions it has written to wc.
func (q *cq) help(wc []verbs.WC) (n int) {
	if q.waiting.Load() != 0 {
		q.proceed()
	}
	list := q.lenders.all()
	at := int(q.nextLender.Load())
	for left := len(list); left > 0; left-- {
		if at >= len(list) {
			at = 0
		}
		got := list[at].serve(q, wc[n:])
		at++
		if n += got; got > 0 {
			q.nextLender.Store(uint32(at))
		}
		if n > 0 && n == len(wc) {
			break
		}
	}
	return n
}

// proceed lets the work of QPs that waits proceed.
func (q *cq) proceed() {
	for i := 0; ; i++ {
		q.mu.Lock()
		if i >= len(q.waiters) {
			q.mu.Unlock()
			return
		}
		p := q.waiters[i]
		q.mu.Unlock()
		p.progress(true)
	}
}

// wakeEngine makes the engine take over from a thread that is going to sleep.
func (q *cq) wakeEngine() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range q.waiters {
		q.ctx.engine.queueUp(p, true)
	}
}

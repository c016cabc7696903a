package shm

import (
	"runtime"
	"slices"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/lockorder"
)

// Progress of requests that PostSend could not finish:
//
//	the poster      A later PostSend executes a WRITE that others may overtake.
//	the poller      A thread that polls the send CQ executes pending requests of its QPs. A thread
//	                that polls any CQ supplies receives of SRQs (cq.doPendingWork).
//	the engine      A goroutine of the context, as a NIC works without its application. It runs at
//	                once if the CQ is armed, or if the request is a READ that the application must
//	                be able to watch; else every lazyTick, since waking a goroutine on a CPU on
//	                which the application spins costs more than the work. On a device with late
//	                requests a tick is busyTick. With the delay fault it executes requests when
//	                they are due.
//
// All of them call qp.progress: the poster directly, since it holds the QP's lock, the others through
// qp.tryProgress, which does nothing while another thread holds the lock.

// engine is the goroutine that executes pending requests without the application.
type engine struct {
	mu         lockorder.Mutex[lockorder.Engine]
	queue      map[*qp]struct{} // QPs with pending work
	idle       bool             // the queue was empty for a while: the goroutine sleeps until it is woken
	wake       chan struct{}
	done       chan struct{}
	ended      chan struct{}
	tick       time.Duration
	delayTimer *delayTimer // replaces wake and idle on a device that delays requests; else nil
}

const (
	lazyTick  = time.Millisecond
	lazyTicks = 20 // ticks without work before the engine sleeps
	busyTick  = 20 * time.Microsecond
)

// init starts the engine. late reports whether requests are late, which Go's timers are too coarse for.
func (e *engine) init(delays, late bool) (err error) {
	e.queue, e.idle, e.tick = map[*qp]struct{}{}, !delays, lazyTick
	if late {
		e.tick = busyTick
	}
	e.wake, e.done, e.ended = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	if !delays {
		go e.run()
		return nil
	}
	if e.delayTimer, err = newDelayTimer(); err == nil {
		go e.runDelayed()
	}
	return err
}

func (e *engine) stop() {
	close(e.done)
	if e.delayTimer != nil {
		e.delayTimer.set(time.Now())
	}
	<-e.ended
}

// addPending makes the engine process a QP that has pending work, or must be checked again. The
// caller holds the QP's lock.
func (e *engine) addPending(q *qp) {
	if e.delayTimer != nil {
		e.schedule(q, false)
		if e.delayTimer.setDue(q.pendingAt(q.pendHead).notBefore) {
			q.afterUnlock |= signalDelayTimer
		}
		return
	}
	now := q.sendCQ.notifier.armed() || q.pendHead != q.pendTail && q.engineOnly(&q.pendingAt(q.pendHead).wr)
	e.schedule(q, now)
}

// schedule makes the engine process the QP now, or within a tick.
func (e *engine) schedule(q *qp, now bool) {
	e.mu.Lock()
	e.queue[q] = struct{}{}
	now = now || e.idle
	e.idle = false
	e.mu.Unlock()
	if !now {
		return
	}
	if e.delayTimer != nil {
		e.delayTimer.set(time.Now())
		return
	}
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

func (e *engine) run() {
	defer close(e.ended)
	if e.precise() {
		runtime.LockOSThread()
		setPreciseSleep()
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ticks := 0; ; ticks++ {
		next := e.progressAll()
		switch {
		case !next.IsZero():
			ticks = 0
		case ticks < lazyTicks || !e.setIdle():
			next = time.Now().Add(e.tick)
		}
		woken, over := e.pause(next, timer)
		if over {
			return
		}
		if woken {
			ticks = 0
		}
	}
}

// precise reports whether ticks are too short for Go's timers.
func (e *engine) precise() bool { return e.tick < lazyTick }

// pause returns at a time, or if there is none when the engine is woken or stopped, which it reports. It may return later than a
// wake-up if the time is less than a millisecond ahead.
func (e *engine) pause(next time.Time, timer *time.Timer) (woken, over bool) {
	switch {
	case next.IsZero():
	case e.precise():
		sleep(time.Until(next))
		select {
		case <-e.wake:
			return true, false
		case <-e.done:
			return false, true
		default:
			return false, false
		}
	default:
		timer.Reset(time.Until(next))
	}
	select {
	case <-e.wake:
		return true, false
	case <-e.done:
		return false, true
	case <-timer.C:
		return false, false
	}
}

// runDelayed is run for a device that delays requests.
func (e *engine) runDelayed() {
	defer close(e.ended)
	for {
		e.delayTimer.wait()
		select {
		case <-e.done:
			e.delayTimer.close()
			return
		default:
		}
		if next := e.progressAll(); !next.IsZero() {
			e.delayTimer.set(next)
		}
	}
}

// setIdle makes the next schedule wake the engine and reports whether the engine may sleep. It may
// not if there is work.
func (e *engine) setIdle() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.idle = len(e.queue) == 0
	return e.idle
}

// progressAll makes progress on every QP with pending work and returns the time of the next
// attempt, or the zero time if no work is left.
func (e *engine) progressAll() (next time.Time) {
	e.mu.Lock()
	list := make([]*qp, 0, len(e.queue))
	for q := range e.queue {
		list = append(list, q)
	}
	clear(e.queue)
	e.mu.Unlock()
	for _, q := range list {
		retryAt, ok := q.tryProgress(false)
		tick := time.Now().Add(e.tick)
		switch {
		case ok && retryAt.IsZero():
			continue
		case !q.sendCQ.notifier.armed() && !q.ctx.dev.delays() || retryAt.After(tick): // the event that it waits for may happen before its time
			retryAt = tick
		case !ok:
			retryAt = time.Now().Add(busyTick)
		}
		e.mu.Lock()
		e.queue[q] = struct{}{}
		e.mu.Unlock()
		if next.IsZero() || retryAt.Before(next) {
			next = retryAt
		}
	}
	return next
}

// A CQ knows the QPs whose sends complete on it and that have pending work.

// setPending adds a QP with pending work, or removes it.
func (q *cq) setPending(p *qp, pending bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if pending {
		q.pendingQPs = append(q.pendingQPs, p)
	} else {
		q.pendingQPs = slices.DeleteFunc(q.pendingQPs, func(x *qp) bool { return x == p })
	}
	q.pendingCount.Store(uint32(len(q.pendingQPs)))
}

// hasPendingWork reports whether a poller has work to do besides polling.
func (q *cq) hasPendingWork() bool { return q.pendingCount.Load() != 0 || q.srqReceivers.any() }

// doPendingWork makes progress on pending requests and services the peers of QPs on SRQs, in the
// polling thread, which has nothing better to do. It returns the number of completions that it has
// stored in wc.
func (q *cq) doPendingWork(wc []verbs.WC) (n int) {
	if q.pendingCount.Load() != 0 {
		q.progressPending()
	}
	return q.serviceSRQs(wc)
}

// oneThread reports whether the process runs one goroutine at a time.
func oneThread() bool { return runtime.GOMAXPROCS(0) == 1 }

// progressPending makes progress on the QPs with pending work. In a process that runs one goroutine at a time it lets the engine
// run, which otherwise waited until the runtime interrupts a thread that polls.
func (q *cq) progressPending() {
	if oneThread() {
		runtime.Gosched()
	}
	for i := 0; ; i++ {
		q.mu.Lock()
		if i >= len(q.pendingQPs) {
			q.mu.Unlock()
			return
		}
		p := q.pendingQPs[i]
		q.mu.Unlock()
		p.tryProgress(true)
	}
}

// wakeEngine makes the engine take over from a thread that is about to sleep.
func (q *cq) wakeEngine() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range q.pendingQPs {
		q.ctx.engine.schedule(p, true)
	}
}

package shm

import (
	"math"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs/shm/internal/lockorder"
)

// delayTimer wakes the engine of a device with a delay fault when the next request is due, with a
// precision of a few microseconds. Go's timers are too coarse: threads that wait for them sleep in
// whole milliseconds.
type delayTimer struct {
	began time.Time
	due   atomic.Int64 // when to wake the engine, in nanoseconds after began; or never

	mu     lockorder.Mutex[lockorder.DelayTimer]
	wake   int  // an eventfd; guarded by mu, except in the engine
	closed bool // wake is closed; guarded by mu
}

const (
	never = math.MaxInt64

	// spinTime is the time before the due time at which the engine begins to spin. A sleep with a
	// timeout may overshoot by that much: 50 us of a thread's timer slack, and the time until the
	// thread runs.
	spinTime = 100 * time.Microsecond
)

func newDelayTimer() (*delayTimer, error) {
	fd, err := makeEvent()
	if err != nil {
		return nil, err
	}
	t := &delayTimer{began: time.Now(), wake: fd}
	t.due.Store(never)
	return t, nil
}

// set wakes the engine at a time, unless it is already due earlier.
func (t *delayTimer) set(at time.Time) {
	if t.setDue(at) {
		t.signal()
	}
}

// setDue stores the due time for set, and reports whether the engine must be signaled, since it may
// sleep longer.
func (t *delayTimer) setDue(at time.Time) bool {
	due := int64(at.Sub(t.began))
	for was := t.due.Load(); due < was; was = t.due.Load() {
		if t.due.CompareAndSwap(was, due) {
			return true
		}
	}
	return false
}

// signal makes the engine read the due time. The engine may preempt the calling thread at once, so
// the caller must hold no lock that the engine takes.
func (t *delayTimer) signal() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		signalEvent(t.wake)
	}
}

// wait returns at the due time and clears it. The engine then checks all its requests and sets the
// next due time.
func (t *delayTimer) wait() {
	for {
		due, now := time.Duration(t.due.Load()), time.Since(t.began)
		if due <= now {
			break
		}
		if due-now > spinTime {
			awaitEvent(t.wake, due-now-spinTime)
		}
	}
	t.due.Store(never)
}

// close closes the timer. The engine must not wait for it any more.
func (t *delayTimer) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	unix.Close(t.wake)
}

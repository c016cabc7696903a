package shm

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// alarm tells the engine of a device with the fault delay when the next request is due, to a few
// microseconds. Timers of Go are no use: threads that wait for them sleep in whole milliseconds.
type alarm struct {
	began time.Time
	due   atomic.Int64 // when to wake the engine, in nanoseconds after began; never

	mu   sync.Mutex
	wake int  // an eventfd, guarded by mu but for the engine
	gone bool // it is closed, guarded by mu
}

const (
	never = math.MaxInt64

	// alarmEarly is how long before the time the engine begins to spin. A sleep with a timeout may
	// be that much too long: 50 us are the timer slack of a thread, and the rest is what it takes
	// until the thread runs.
	alarmEarly = 100 * time.Microsecond
)

func newAlarm() (*alarm, error) {
	fd, err := makeEvent()
	if err != nil {
		return nil, err
	}
	a := &alarm{began: time.Now(), wake: fd}
	a.due.Store(never)
	return a, nil
}

// set has the engine woken at a time, unless it will be earlier.
func (a *alarm) set(at time.Time) {
	if a.note(at) {
		a.rouse()
	}
}

// note notes a time for set, and tells whether the engine is to be roused, since it may sleep
// longer.
func (a *alarm) note(at time.Time) bool {
	due := int64(at.Sub(a.began))
	for was := a.due.Load(); due < was; was = a.due.Load() {
		if a.due.CompareAndSwap(was, due) {
			return true
		}
	}
	return false
}

// rouse has the engine look at the time that was noted. The engine may run at once in place of the
// calling thread, which so must not have a lock that the engine takes.
func (a *alarm) rouse() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.gone {
		signalEvent(a.wake)
	}
}

// await returns when the time has come, and forgets it: whoever waits looks at all requests then,
// and sets the next time.
func (a *alarm) await() {
	for {
		due, now := time.Duration(a.due.Load()), time.Since(a.began)
		if due <= now {
			break
		}
		if due-now > alarmEarly {
			awaitEvent(a.wake, due-now-alarmEarly)
		}
	}
	a.due.Store(never)
}

// close ends the alarm, for which nobody may wait any more.
func (a *alarm) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.gone = true
	unix.Close(a.wake)
}

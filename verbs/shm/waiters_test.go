package shm_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// sleeps counts how often a goroutine can sleep 100 us within a time.
func sleeps(within time.Duration) (n int) {
	for end := time.Now().Add(within); time.Now().Before(end); n++ {
		time.Sleep(100 * time.Microsecond)
	}
	return n
}

// TestWaitersLeaveTheProcessors: a goroutine beside as many waiters as there are processors
// sleeps and wakes as often as without them. Other programs disturb either: it must come
// out once within a time.
func TestWaitersLeaveTheProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	c := conf()
	c.channel = true
	_, b := pair(t, c)
	for end := time.Now().Add(20 * time.Second); ; {
		alone := sleeps(200 * time.Millisecond)
		var stop atomic.Bool
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				for !stop.Load() {
					if _, err := b.ch.GetEvent(5 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
						t.Error(err)
						return
					}
				}
			})
		}
		beside := sleeps(200 * time.Millisecond)
		stop.Store(true)
		all.Wait()
		if 2*beside > alone {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d sleeps beside waiters, %d without", beside, alone)
		}
	}
}

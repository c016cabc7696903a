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

// countSleeps returns how often a goroutine can sleep for 100 us within a time.
func countSleeps(within time.Duration) (n int) {
	for end := time.Now().Add(within); time.Now().Before(end); n++ {
		time.Sleep(100 * time.Microsecond)
	}
	return n
}

// TestWaitersHoldNoProcessor covers that with as many waiters as processors a goroutine sleeps and
// wakes as often as without them. Other programs disturb both measurements, so the test retries for
// a while.
func TestWaitersHoldNoProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	c := conf()
	c.Channel = true
	_, b := pair(t, c)
	for end := time.Now().Add(20 * time.Second); ; {
		alone := countSleeps(200 * time.Millisecond)
		var stop atomic.Bool
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				for !stop.Load() {
					if _, err := b.Channel.GetEvent(5 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
						t.Error(err)
						return
					}
				}
			})
		}
		beside := countSleeps(200 * time.Millisecond)
		stop.Store(true)
		all.Wait()
		if 2*beside > alone {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d sleeps with waiters, %d without", beside, alone)
		}
	}
}

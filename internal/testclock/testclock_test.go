package testclock

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
)

// Time in which nothing waits for a CPU counts whole: that of a sleep.
func TestSleepCounts(t *testing.T) {
	const slept = 200 * time.Millisecond
	w := Start()
	time.Sleep(slept)
	if took := w.Took(); took < slept/2 {
		t.Errorf("a sleep of %v took %v", slept, took)
	}
}

// Threads that share a CPU wait for it, and that time does not count.
func TestWaitingForACPUDoesNotCount(t *testing.T) {
	if len(RunDelays(os.Getpid())) == 0 {
		t.Skip("the system has no /proc/PID/schedstat")
	}
	threads, end := 4*runtime.NumCPU(), time.Now().Add(400*time.Millisecond)
	began, w := time.Now(), Start()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	var spinners sync.WaitGroup
	for range threads {
		spinners.Go(func() {
			for time.Now().Before(end) {
			}
		})
	}
	spinners.Wait()
	if wall, took := time.Since(began), w.Took(); took > wall*3/4 {
		t.Errorf("%d spinning threads: %v of %v count", threads, took, wall)
	}
}

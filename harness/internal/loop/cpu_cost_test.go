package loop

import (
	"runtime"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/harness/internal/testcase"
)

// The CPU time of a thread that did not run while it waited is not below 0.
func TestCPUTimeIsNotNegativeAfterAPause(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const away = 20 * time.Millisecond
	w := &Worker{Clock: clock.New(), spare: clock.New(), test: &testcase.Case{}}
	w.beginMeter()
	time.Sleep(away)
	w.noteIdle(int64(away))
	w.endMeter()
	if w.meter.CPU < 0 || w.meter.Wall < 0 {
		t.Errorf("used %d ns of CPU in %d ns", w.meter.CPU, w.meter.Wall)
	}
}

// A sleep that ended before its slice does not make the times of a round negative.
func TestTimesAreNotNegativeAfterAShortSleep(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, sleeps := range []bool{false, true} {
		w := &Worker{Clock: clock.New(), spare: clock.New(), test: &testcase.Case{Sleeps: sleeps}}
		w.beginMeter()
		w.noteIdle(int64(eventSlice))
		w.endMeter()
		if w.meter.CPU < 0 || w.meter.Wall < 0 {
			t.Errorf("sleeps %v: used %d ns of CPU in %d ns", sleeps, w.meter.CPU, w.meter.Wall)
		}
	}
}

package harness

import (
	"runtime"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/clock"
)

// A thread that has no CPU while nothing comes has used none, and not less.
func TestIdleTimeOfOthersIsNotTakenOff(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const away = 20 * time.Millisecond
	w := &worker{clock: clock.New(), spare: clock.New(), scheme: &scheme{}}
	w.beginMeter()
	time.Sleep(away)
	w.noteIdle(int64(away))
	w.endMeter()
	if w.meter.cpu < 0 || w.meter.wall < 0 {
		t.Errorf("used %d ns of CPU in %d ns", w.meter.cpu, w.meter.wall)
	}
}

// A sleep that is said to have been longer than it was does not make a round shorter than nothing.
func TestSleepCutShortIsNoNegativeTime(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, sleeps := range []bool{false, true} {
		w := &worker{clock: clock.New(), spare: clock.New(), scheme: &scheme{sleeps: sleeps}}
		w.beginMeter()
		w.noteIdle(int64(eventSlice))
		w.endMeter()
		if w.meter.cpu < 0 || w.meter.wall < 0 {
			t.Errorf("sleeps %v: used %d ns of CPU in %d ns", sleeps, w.meter.cpu, w.meter.wall)
		}
	}
}

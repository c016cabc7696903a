package harness

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A measuring thread shares a contended CPU as other threads do: its policy and its time slice
// stay what they were. Only the runtime's monitor has another policy.
func TestMeasuringThreadKeepsItsTimeSlice(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		t.Skip("sched_getattr(2): ", err)
	}
	mine := newThreads()
	for deadline := time.Now().Add(time.Minute); mine.monitor == 0; {
		if time.Now().After(deadline) {
			t.Fatal("the monitor was not found")
		}
		leave := mine.measureOn(mine.free(nil)[0])
		during, err := unix.SchedGetAttr(0, 0)
		if err != nil || *during != *before {
			t.Fatalf("the measuring thread has the scheduling attributes %+v, %v, before it measured %+v", during, err, *before)
		}
		leave()
	}
	if attr, err := unix.SchedGetAttr(mine.monitor, 0); err != nil || attr.Policy != unix.SCHED_BATCH {
		t.Errorf("the monitor has the scheduling attributes %+v, %v, want those of SCHED_BATCH", attr, err)
	}
}

package harness

import (
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// A measuring thread shares a contended CPU as other threads do: its policy and its time
// slice stay what they were, as do those of the process's other threads.
func TestMeasuringLeavesTimeSlicesAlone(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		t.Skip("sched_getattr(2): ", err)
	}
	mine := newThreads()
	leave := mine.measureOn(mine.free(nil)[0])
	defer leave()
	during, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if *during != *before {
		t.Errorf("the measuring thread has the scheduling attributes %+v, before it measured %+v", *during, *before)
	}
	for _, task := range tasks() {
		if attr, err := unix.SchedGetAttr(tid(t, task), 0); err == nil && attr.Policy != before.Policy {
			t.Errorf("thread %s has scheduling policy %d, the test's thread %d", task, attr.Policy, before.Policy)
		}
	}
}

func tid(t *testing.T, task string) int {
	t.Helper()
	id, err := strconv.Atoi(task)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

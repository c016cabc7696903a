package affinity

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The runtime's monitor thread, which is the one that sleeps in nanosleep(2), becomes a batch thread. A
// measuring thread shares a contended CPU as other threads do: its policy and time slice do not change.
func TestOnlyTheMonitorIsABatchThread(t *testing.T) {
	before, err := unix.SchedGetAttr(os.Getpid(), 0)
	if err != nil {
		t.Skip("sched_getattr(2): ", err)
	}
	release := Reserve(Free(nil)[0])
	defer release()
	if during, err := unix.SchedGetAttr(0, 0); err != nil || *during != *before {
		t.Errorf("the measuring thread has the scheduling attributes %+v, %v, the first thread %+v", during, err, *before)
	}
	monitor := threads()[1]
	if attr, err := unix.SchedGetAttr(monitor, 0); err != nil || attr.Policy != unix.SCHED_BATCH {
		t.Errorf("the second thread has the scheduling attributes %+v, %v, want those of SCHED_BATCH", attr, err)
	}
	nanosleep := fmt.Appendf(nil, "%d ", unix.SYS_NANOSLEEP)
	for deadline := time.Now().Add(time.Minute); ; {
		call, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/syscall", monitor))
		if err != nil {
			t.Skip("proc_pid_syscall(5): ", err)
		}
		if bytes.HasPrefix(call, nanosleep) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the second thread is not in nanosleep(2) but in %s", call)
		}
	}
}

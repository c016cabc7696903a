package testclock

import (
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// Prefer lets the threads of this process run before other work of the machine until the test ends, so that a short time
// that the test measures has no wait for a CPU in it. It needs CAP_SYS_NICE; without, nothing changes.
func Prefer(t *testing.T) {
	t.Helper()
	before, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return
	}
	const first = -20
	setPriority(first)
	t.Cleanup(func() { setPriority(20 - before) }) // the system call returns 1 to 40
}

// setPriority sets the nice value of all threads. Later threads have that of the thread that starts them.
func setPriority(nice int) {
	threads, _ := os.ReadDir("/proc/self/task")
	for _, e := range threads {
		if tid, err := strconv.Atoi(e.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, tid, nice) // not permitted, or the thread has ended
		}
	}
}

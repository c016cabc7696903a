package harness

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// While a thread spins on its CPU the runtime's monitor seldom runs: the kernel lets it
// when the long slice ends, and when something else has taken the CPU. So the test waits
// for a while in which little else does.
func TestMonitorWaitsForTheLoop(t *testing.T) {
	if before(6, 12) {
		t.Skip("time slices of a thread's own came with Linux 6.12")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mine := newThreads()
	const most = 40 // runs a second; 100 without
	deadline := time.Now().Add(time.Minute)
	for {
		leave := mine.measureOn(mine.free(nil)[0])
		rate := monitorRuns(t, mine, 300*time.Millisecond)
		leave()
		if rate < most {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the monitor runs %.0f times a second beside a thread that spins, want below %d", rate, most)
		}
	}
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil || attr.Runtime >= longSlice {
		t.Errorf("afterwards the thread's time slice is %d ns: %v", attr.Runtime, err)
	}
}

// monitorRuns spins, and returns how often a second the monitor ran meanwhile; 100 if it
// has not been found.
func monitorRuns(t *testing.T, mine *threads, long time.Duration) float64 {
	t.Helper()
	if mine.monitor == 0 {
		return 100
	}
	attr, err := unix.SchedGetAttr(mine.monitor, 0)
	if err != nil || attr.Policy != unix.SCHED_IDLE {
		t.Fatalf("the monitor, thread %d, has policy %d: %v", mine.monitor, attr.Policy, err)
	}
	var r runs
	n := r.timeSlices(strconv.Itoa(mine.monitor))
	for begin := time.Now(); time.Since(begin) < long; {
	}
	return float64(r.timeSlices(strconv.Itoa(mine.monitor))-n) / long.Seconds()
}

// before tells whether the kernel is older than that release.
func before(major, minor int) bool {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return true
	}
	m, rest := number(u.Release[:])
	n, _ := number(rest[1:])
	return m < major || m == major && n < minor
}

// number is the one that a text begins with, and what follows it.
func number(text []byte) (n int, rest []byte) {
	for len(text) > 0 && text[0] >= '0' && text[0] <= '9' {
		n, text = n*10+int(text[0]-'0'), text[1:]
	}
	return n, text
}

//go:build linux

package harness

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

// The Go runtime's monitor thread wakes 100 times a second while any goroutine runs, takes
// a CPU for it, and preempts goroutines that have run for 10 ms: a loop that spins loses
// its CPU to both. It has no switch. What the kernel offers is enough: as an idle thread
// on the measuring CPU it does not preempt the loop, and waits until the loop's time slice
// ends, which is made as long as the kernel allows.

// longSlice is the time slice of a measuring thread, in ns: the longest that sched_setattr(2)
// takes for a thread without real-time priority. Kernels before 6.12 ignore it.
const longSlice = 100e6

// takeSlice gives the calling thread the long slice, and returns what gives it back.
func takeSlice() (giveBack func()) {
	before, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		return func() {}
	}
	long := *before
	long.Runtime = longSlice
	if unix.SchedSetAttr(0, &long, 0) != nil {
		return func() {}
	}
	return func() { _ = unix.SchedSetAttr(0, before, 0) } // it was so before
}

// idleMonitor makes the runtime's monitor an idle thread on a CPU, if it is found: it may
// be asleep in another way just now. It stays one, since who may make a thread idle may
// not always make it normal again, sched(7).
func (t *threads) idleMonitor(cpu int) {
	if t.monitor == 0 {
		t.monitor = findMonitor()
	}
	if t.monitor == 0 {
		return
	}
	attr, err := unix.SchedGetAttr(t.monitor, 0)
	if err != nil {
		return
	}
	attr.Policy = unix.SCHED_IDLE
	var only unix.CPUSet
	only.Set(cpu)
	if unix.SchedSetAttr(t.monitor, attr, 0) == nil {
		_ = unix.SchedSetaffinity(t.monitor, &only) // where it may not be it stays where it is
	}
}

// findMonitor returns the id of the thread that is in nanosleep(2), 0 if there is none or
// more than one: the monitor sleeps so, and other threads of the runtime on futexes.
func findMonitor() (tid int) {
	var r runs
	for _, task := range tasks() {
		call := r.read("/proc/self/task/" + task + "/syscall")
		if number, _, _ := bytes.Cut(call, []byte(" ")); string(number) != strconv.Itoa(unix.SYS_NANOSLEEP) {
			continue
		}
		if tid != 0 {
			return 0
		}
		tid, _ = strconv.Atoi(task) // the kernel's names are numbers
	}
	return tid
}

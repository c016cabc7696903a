//go:build linux

package harness

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

// The Go runtime's monitor thread wakes 100 times a second while any goroutine runs, takes
// a CPU for it, and preempts goroutines that have run for 10 ms: a loop that spins loses
// its CPU to both. It has no switch. As a thread of the policy SCHED_BATCH on the measuring CPU
// it does not preempt the loop when it wakes, but runs when the loop's time slice ends. Threads
// that it starts inherit the policy, and lose nothing by it: their part of a CPU is the same.

// batchMonitor makes the runtime's monitor a batch thread on a CPU, if it is found: it may
// be asleep in another way just now. It stays one.
func (t *threads) batchMonitor(cpu int) {
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
	attr.Policy = unix.SCHED_BATCH
	var only unix.CPUSet
	only.Set(cpu)
	if unix.SchedSetAttr(t.monitor, attr, 0) == nil {
		_ = unix.SchedSetaffinity(t.monitor, &only) // where it may not be it stays where it is
	}
}

// findMonitor returns the id of the thread that is in nanosleep(2), 0 if there is none or
// more than one: the monitor sleeps so, and other threads of the runtime on futexes.
func findMonitor() (tid int) {
	for _, task := range tasks() {
		var text [256]byte
		call := readSmall("/proc/self/task/"+task+"/syscall", text[:])
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

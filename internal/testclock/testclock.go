// Package testclock is the clock of tests that hold a limit of time: on a busy machine the time for which
// threads were ready and waited for a CPU does not count.
package testclock

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// RunDelays returns for each thread of a process the time for which it has been ready and has waited for a
// CPU, see /proc/PID/schedstat in proc(5). It is empty after the process has ended and on systems other
// than Linux.
func RunDelays(pid int) map[string]time.Duration {
	delays := map[string]time.Duration{}
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, file := range files {
		data, _ := os.ReadFile(file) // empty if the thread has ended meanwhile
		if f := strings.Fields(string(data)); len(f) == 3 {
			ns, _ := strconv.ParseInt(f[1], 10, 64)
			delays[file] = time.Duration(ns)
		}
	}
	return delays
}

// Longest returns the longest of the delays, 0 without any.
func Longest(delays map[string]time.Duration) time.Duration {
	return slices.Max(append(slices.Collect(maps.Values(delays)), 0))
}

// Watch measures an operation of this process.
type Watch struct {
	began  time.Time
	delays map[string]time.Duration
}

// Start begins an operation.
func Start() Watch { return Watch{time.Now(), RunDelays(os.Getpid())} }

// Took returns the time since Start, less the longest time for which a thread waited for a CPU meanwhile.
func (w Watch) Took() time.Duration {
	took, delays := time.Since(w.began), RunDelays(os.Getpid())
	for thread := range delays {
		delays[thread] -= w.delays[thread]
	}
	return took - Longest(delays)
}

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"time"
)

// peakEvery is the time between looks at the memory of a process.
const peakEvery = 50 * time.Millisecond

// peak looks at a process until it is ending, and returns the largest resident memory
// that it ever had, in bytes, as of the last look. What wait4(2) tells of that is no less
// than the memory of the process that started it.
func peak(pid int, ending <-chan struct{}) float64 {
	look := time.NewTicker(peakEvery)
	defer look.Stop()
	var most float64
	for {
		if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
			most = max(most, highWater(status))
		}
		select {
		case <-ending:
			return most
		case <-look.C:
		}
	}
}

// highWater finds VmHWM in a file as proc_pid_status(5) has it; a process that has
// ended has none.
func highWater(status []byte) float64 {
	for lines := bufio.NewScanner(bytes.NewReader(status)); lines.Scan(); {
		var kib float64
		if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %f kB", &kib); n == 1 {
			return kib * 1024
		}
	}
	return 0
}

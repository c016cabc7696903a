package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"time"
)

// samplingInterval is the time between two readings of the memory of a process.
const samplingInterval = 50 * time.Millisecond

// peakMemory reads the memory of a process until it ends, and returns the largest resident memory that it had by
// the last reading, in bytes. The value of wait4(2) is of no use: it is at least the memory of the
// process that called fork.
func peakMemory(pid int, ending <-chan struct{}) float64 {
	ticker := time.NewTicker(samplingInterval)
	defer ticker.Stop()
	var highest float64
	for {
		if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
			highest = max(highest, highWater(status))
		}
		select {
		case <-ending:
			return highest
		case <-ticker.C:
		}
	}
}

// highWater returns VmHWM of a file in the format of proc_pid_status(5); a process that has ended has none.
func highWater(status []byte) float64 {
	for lines := bufio.NewScanner(bytes.NewReader(status)); lines.Scan(); {
		var kib float64
		if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %f kB", &kib); n == 1 {
			return kib * 1024
		}
	}
	return 0
}

package harness

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// runs is how often each thread of this process was given a CPU since it began, by its id.
type runs map[string]int64

// countRuns looks at all threads of the process.
func countRuns() runs {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil
	}
	all := runs{}
	for _, task := range tasks {
		all[task.Name()] = timeSlices(task.Name())
	}
	return all
}

// beside returns how often other threads than the calling one have run since, as far as
// they are or were last on its CPU: what of its interruptions is of the process's own
// making.
func (before runs) beside() (n int64) {
	cpu, ok := currentCPU()
	if before == nil || !ok {
		return 0 // then none are told apart
	}
	self := strconv.Itoa(unix.Gettid())
	for tid, count := range countRuns() {
		if tid != self && lastCPU(tid) == cpu {
			n += count - before[tid]
		}
	}
	return n
}

// currentCPU is the CPU of the calling thread.
func currentCPU() (cpu int, ok bool) {
	last := lastCPU(strconv.Itoa(unix.Gettid()))
	return last, last >= 0
}

// lastCPU is the CPU that a thread is or was last on, by proc_pid_stat(5); -1: it has ended.
func lastCPU(tid string) int {
	const processor = 39 - 3 // the third field, the first behind the name, is 0
	data, err := os.ReadFile("/proc/self/task/" + tid + "/stat")
	if err != nil {
		return -1
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) <= processor {
		return -1
	}
	return int(number(fields[processor]))
}

// timeSlices is how often a thread was given a CPU: the third number of schedstat, which is
// 0 where the kernel does not count.
func timeSlices(tid string) int64 {
	data, err := os.ReadFile("/proc/self/task/" + tid + "/schedstat")
	fields := bytes.Fields(data)
	if err != nil || len(fields) < 3 {
		return 0
	}
	return number(fields[2])
}

func number(text []byte) int64 {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

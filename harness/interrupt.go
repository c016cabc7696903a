package harness

import (
	"bytes"
	"strconv"

	"github.com/ibperf/ibperf/internal/sched"
	"golang.org/x/sys/unix"
)

// runs is how often each thread of this process has been given a CPU, by its id: what the
// interruptions of a measuring thread are told apart by. It is used again and again and
// leaves little garbage.
type runs struct {
	counted bool
	before  map[string]int64
	text    [4096]byte
}

// count looks at all threads of the process, if that is wanted.
func (r *runs) count(wanted bool) {
	if r.counted = wanted; !wanted {
		return
	}
	if r.before == nil {
		r.before = map[string]int64{}
	}
	clear(r.before)
	total := int64(0)
	for _, tid := range tasks() {
		r.before[tid] = r.timeSlices(tid)
		total += r.before[tid]
	}
	r.counted = total > 0 // else the kernel does not count
}

// beside returns how often other threads than the calling one have run since, as far as
// they are or were last on its CPU: no more of its interruptions are of the process's own
// making. It is nil where that was not counted.
func (r *runs) beside() *uint64 {
	cpu := currentCPU()
	if !r.counted || cpu == noCPU {
		return nil
	}
	var n uint64
	self := strconv.Itoa(sched.ThreadID())
	for _, tid := range tasks() {
		if tid != self && r.lastCPU(tid) == cpu {
			n += uint64(max(0, r.timeSlices(tid)-r.before[tid]))
		}
	}
	return &n
}

// currentCPU is the CPU of the calling thread, noCPU if it is not known.
func currentCPU() int {
	var r runs
	return r.lastCPU(strconv.Itoa(sched.ThreadID()))
}

// lastCPU is the CPU that a thread is or was last on, by proc_pid_stat(5); noCPU if it has
// ended.
func (r *runs) lastCPU(tid string) int {
	const processor = 39 - 3 // the third field, the first behind the name, is 0
	data := r.read("/proc/self/task/" + tid + "/stat")
	if cpu := field(data[bytes.LastIndexByte(data, ')')+1:], processor); cpu >= 0 {
		return int(cpu)
	}
	return noCPU
}

// timeSlices is how often a thread was given a CPU: the third number of schedstat.
func (r *runs) timeSlices(tid string) int64 {
	return max(0, field(r.read("/proc/self/task/"+tid+"/schedstat"), 2))
}

// read returns a small file of the kernel's, empty if it cannot be read.
func (r *runs) read(path string) []byte {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, _ := unix.Read(fd, r.text[:]) // what cannot be read is empty
	return r.text[:max(0, n)]
}

// field is the i-th number of a text, -1 if there is none.
func field(text []byte, i int) int64 {
	for word := range bytes.FieldsSeq(text) {
		if i--; i >= 0 {
			continue
		}
		n, err := strconv.ParseInt(string(word), 10, 64)
		if err != nil {
			return -1
		}
		return n
	}
	return -1
}

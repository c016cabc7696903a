package affinity

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/ibperf/ibperf/internal/sched"
)

// process holds the CPU placement of this process's threads. While a thread measures on a CPU the
// others are kept off that CPU, if there is another one for them.
var process struct {
	sync.Mutex
	room     sched.CPUs   // CPUs of the process
	reserved map[int]int  // CPU of each thread that a run has reserved, by thread id
	bound    map[int]bool // threads that a run has bound, by thread id
}

func init() {
	process.room, _ = sched.Affinity(0) // empty on systems other than Linux
	process.reserved, process.bound = map[int]int{}, map[int]bool{}
}

// Free returns the CPUs of the process that no run measures on: the near ones, or all of them if no
// near one is free.
func Free(near []int) (all []int) {
	process.Lock()
	defer process.Unlock()
	free := unreserved()
	for cpu := range len(free) * 64 {
		if free.IsSet(cpu) {
			all = append(all, cpu)
		}
	}
	nearest := slices.DeleteFunc(slices.Clone(all), func(cpu int) bool { return !slices.Contains(near, cpu) })
	if len(nearest) > 0 {
		return nearest
	}
	return all
}

// unreserved returns the CPUs of the process that no thread is reserved for.
func unreserved() sched.CPUs {
	free := process.room
	for _, cpu := range process.reserved {
		free.Clear(cpu)
	}
	return free
}

// Confine keeps the process on some CPUs.
func Confine(cpus []int) {
	process.Lock()
	defer process.Unlock()
	process.room = sched.SetOf(cpus...)
	arrange()
}

// Bind locks the calling goroutine to its thread, and the thread to the near CPUs of the process, until the
// goroutine calls release. Then the thread, and those that it has started, may run where other threads may.
// It does nothing if the thread is reserved for a CPU or bound already, or if no CPU of the process is near or all are.
func Bind(near []int) (release func()) {
	runtime.LockOSThread()
	tid := sched.ThreadID()
	process.Lock()
	defer process.Unlock()
	cpus := sched.SetOf(near...)
	for i := range cpus {
		cpus[i] &= process.room[i]
	}
	_, reserved := process.reserved[tid]
	if reserved || process.bound[tid] || cpus.Count() == 0 || cpus == process.room || sched.SetAffinity(tid, cpus) != nil {
		return runtime.UnlockOSThread
	}
	process.bound[tid] = true
	return func() {
		process.Lock()
		defer process.Unlock()
		delete(process.bound, tid)
		arrange()
		runtime.UnlockOSThread()
	}
}

// On calls a function on a thread of its own that runs on one CPU, also on one that the process is kept off.
func On(cpu int, call func()) error {
	ended := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		process.Lock()         // no other run places the thread
		defer process.Unlock()
		err := sched.SetAffinity(0, sched.SetOf(cpu))
		if err == nil {
			call()
		}
		ended <- err
	}()
	return <-ended
}

// Reserve locks the calling goroutine to its thread, the thread to a CPU, and keeps all other threads
// off that CPU, until the goroutine calls release. It does nothing if cpu is NoCPU.
//
// It makes the Go runtime's monitor, the first thread that the runtime starts, a SCHED_BATCH thread for
// good. The monitor wakes 100 times a second; as a batch thread it waits until a spinning loop's time
// slice ends. Threads that it starts inherit the policy; their share of a CPU is the same.
func Reserve(cpu int) (release func()) {
	if cpu == NoCPU {
		return func() {}
	}
	runtime.LockOSThread()
	tid := sched.ThreadID()
	process.Lock()
	defer process.Unlock()
	process.reserved[tid] = cpu
	arrange()
	_ = sched.SetAffinity(tid, sched.SetOf(cpu)) // fails if the process has lost the CPU
	if all := threads(); len(all) > 1 {
		_ = sched.SetBatch(all[1])
	}
	return func() {
		process.Lock()
		defer process.Unlock()
		delete(process.reserved, tid)
		arrange()
		runtime.UnlockOSThread()
	}
}

// arrange places all threads except the reserved and the bound ones. A thread that starts meanwhile inherits the
// CPUs of its creator, so the scan repeats until it finds no new thread.
func arrange() {
	others := unreserved()
	if others.Count() == 0 {
		others = process.room
	}
	placed := map[int]bool{}
	for before := -1; before < len(placed); {
		before = len(placed)
		for _, tid := range threads() {
			if _, reserved := process.reserved[tid]; !reserved && !process.bound[tid] {
				_ = sched.SetAffinity(tid, others) // fails if the thread has ended
			}
			placed[tid] = true
		}
	}
}

// threads returns the ids of this process's threads, oldest first; none on systems other than Linux.
func threads() (ids []int) {
	dir, _ := os.Open("/proc/self/task") // without names on an error
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		id, _ := strconv.Atoi(name) // the names are numbers
		ids = append(ids, id)
	}
	return ids
}

// spareThreads is the number of threads that the runtime may use in addition to the spinning ones,
// so that the control channel and the embedded device never wait for a loop.
const spareThreads = 2

// loops counts the timed loops that run in this process.
var loops atomic.Int32

// LockThread locks the calling goroutine to its thread, and the thread to a CPU unless it is NoCPU.
func LockThread(cpu int) (release func()) {
	runtime.LockOSThread()
	if want := int(loops.Add(1)) + spareThreads; runtime.GOMAXPROCS(0) < want {
		runtime.GOMAXPROCS(want)
	}
	if cpu != NoCPU {
		_ = sched.SetAffinity(0, sched.SetOf(cpu)) // fails if the process has lost the CPU
	}
	return func() {
		loops.Add(-1)
		runtime.UnlockOSThread()
	}
}

package harness

import (
	"os"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// threads are those of this process. While any of them measures on a CPU of its own the
// others are kept off it, if there is another CPU for them.
type threads struct {
	mu        sync.Mutex
	room      []int       // CPUs of the process; nil: not looked up yet
	taken     map[int]int // CPUs that are measured on, and by how many runs
	measuring map[int]int // threads that measure at present, by their ids: the CPU
}

var ourThreads = &threads{taken: map[int]int{}, measuring: map[int]int{}}

// cpus returns the CPUs that the process may run on, in their order.
func (t *threads) cpus() []int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all()
}

// all is cpus for who has the lock. It is looked up before any thread is kept anywhere.
func (t *threads) all() []int {
	var set unix.CPUSet
	if t.room != nil || unix.SchedGetaffinity(0, &set) != nil {
		return t.room
	}
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			t.room = append(t.room, cpu)
		}
	}
	return t.room
}

// confine makes the process stay on some CPUs.
func (t *threads) confine(cpus []int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.room = slices.Clone(cpus)
	t.arrange()
}

// keepOff keeps threads that do not measure off a CPU.
func (t *threads) keepOff(cpu int) (release func()) {
	if cpu == noCPU {
		return func() {}
	}
	change := func(by int) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.all()
		t.taken[cpu] += by
		t.arrange()
	}
	change(1)
	return func() { change(-1) }
}

// arrange puts all threads but the measuring ones where they may be. Threads that begin
// later are where those are that made them.
func (t *threads) arrange() {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return // without /proc they stay where they are
	}
	others := t.others()
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if _, measures := t.measuring[tid]; err != nil || measures {
			continue
		}
		_ = unix.SchedSetaffinity(tid, &others) // one that has ended meanwhile does not matter
	}
}

// others are the CPUs of threads that do not measure.
func (t *threads) others() (set unix.CPUSet) {
	free := slices.DeleteFunc(slices.Clone(t.all()), func(cpu int) bool { return t.taken[cpu] > 0 })
	if len(free) == 0 {
		free = t.all()
	}
	for _, cpu := range free {
		set.Set(cpu)
	}
	return set
}

// measureOn keeps the calling thread, which its goroutine has locked, on a CPU.
func (t *threads) measureOn(cpu int) (release func()) {
	if cpu == noCPU {
		return func() {}
	}
	tid := unix.Gettid()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all()
	var only unix.CPUSet
	only.Set(cpu)
	if unix.SchedSetaffinity(0, &only) != nil {
		return func() {} // the CPU was taken from the process meanwhile
	}
	t.measuring[tid] = cpu
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.measuring, tid)
		others := t.others()
		_ = unix.SchedSetaffinity(0, &others)
	}
}

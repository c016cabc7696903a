package harness

import (
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/ibperf/ibperf/internal/sched"
)

// threads are those of this process. While any of them measures on a CPU of its own the
// others are kept off it, if there is another CPU for them.
type threads struct {
	mu        sync.Mutex
	room      []int        // CPUs of the process; nil: not looked up yet
	taken     map[int]int  // CPUs that are measured on, and by how many runs
	spared    map[int]int  // CPUs that peers on this host measure on
	measuring map[int]bool // threads that measure at present, by their ids
	last      map[int]int  // the thread that measured last on a CPU: it may still be there
	monitor   int          // the Go runtime's monitor thread; 0: not found yet
}

var ourThreads = newThreads()

func newThreads() *threads {
	return &threads{taken: map[int]int{}, spared: map[int]int{}, measuring: map[int]bool{}, last: map[int]int{}}
}

// free returns the CPUs to measure on, in the order of preference: those that are near, of
// those that the process may run on, and that no other run measures on.
func (t *threads) free(near []int) []int {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := slices.DeleteFunc(slices.Clone(t.all()), func(cpu int) bool { return t.taken[cpu] > 0 })
	nearest := slices.DeleteFunc(slices.Clone(near), func(cpu int) bool { return !slices.Contains(all, cpu) })
	if len(nearest) > 0 {
		return nearest
	}
	return all
}

// all are the CPUs of the process. They are looked up before any thread is kept anywhere.
func (t *threads) all() []int {
	if t.room != nil {
		return t.room
	}
	set, err := sched.Affinity(0)
	if err != nil {
		return nil
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

// keepOff keeps threads that do not measure off the CPU that a run measures on, and if
// there is a further one off that of the peer on this host.
func (t *threads) keepOff(own, peer int) (release func()) {
	change := func(by int) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if own == noCPU {
			return
		}
		t.all()
		t.taken[own] += by
		if peer != noCPU {
			t.spared[peer] += by
		}
		t.arrange()
	}
	change(1)
	return func() { change(-1) }
}

// arrange puts all threads but the measuring ones where they may be. Threads that begin
// later are where those are that made them: it is done again until there are no new ones.
func (t *threads) arrange() {
	others := t.others()
	seen := map[string]bool{}
	for fresh := true; fresh; {
		fresh = false
		for _, task := range tasks() {
			tid, err := strconv.Atoi(task)
			if err != nil || seen[task] {
				continue
			}
			seen[task], fresh = true, true
			if !t.measuring[tid] {
				_ = sched.SetAffinity(tid, others) // one that has ended meanwhile does not matter
			}
		}
	}
}

// tasks are the ids of this process's threads; none where there is no /proc.
func tasks() []string {
	dir, err := os.Open("/proc/self/task")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what was read is good
	return names
}

// others are the CPUs of threads that do not measure.
func (t *threads) others() (set sched.CPUs) {
	without := func(taken ...map[int]int) []int {
		return slices.DeleteFunc(slices.Clone(t.all()), func(cpu int) bool {
			return slices.ContainsFunc(taken, func(m map[int]int) bool { return m[cpu] > 0 })
		})
	}
	for _, cpus := range [][]int{without(t.taken, t.spared), without(t.taken), t.all()} {
		if len(cpus) == 0 {
			continue
		}
		for _, cpu := range cpus {
			set.Set(cpu)
		}
		break
	}
	return set
}

// measureOn keeps the calling thread, which its goroutine has locked, on a CPU. When it is
// released it may run anywhere, so that it is not moved between two rounds; another thread
// that measures there sends it away.
func (t *threads) measureOn(cpu int) (release func()) {
	if cpu == noCPU {
		return func() {}
	}
	tid := sched.ThreadID()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all()
	var only sched.CPUs
	only.Set(cpu)
	if sched.SetAffinity(0, only) != nil {
		return func() {} // the CPU was taken from the process meanwhile
	}
	if last, ok := t.last[cpu]; ok && last != tid && !t.measuring[last] {
		_ = sched.SetAffinity(last, t.others())
	}
	t.measuring[tid], t.last[cpu] = true, tid
	t.batchMonitor(cpu)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.measuring, tid)
		var anywhere sched.CPUs
		for _, cpu := range t.all() {
			anywhere.Set(cpu)
		}
		_ = sched.SetAffinity(0, anywhere)
	}
}

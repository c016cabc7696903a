package harness

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/ibperf/ibperf/oob"
	"golang.org/x/sys/unix"
)

func TestPlacesOfMeasuringThreads(t *testing.T) {
	side := func(boot string, pinned bool, cpus ...int) oob.Promise {
		return oob.Promise{Boot: boot, CPUs: cpus, Pinned: pinned}
	}
	for _, c := range []struct {
		what           string
		compare        bool
		client, server oob.Promise
		want           [2]int
	}{
		{"perftest's own test", false, side("a", false, 0, 1), side("b", false, 0, 1), [2]int{noCPU, noCPU}},
		{"pinned in any run", false, side("a", true, 3, 1), side("b", false, 0, 1), [2]int{3, noCPU}},
		{"one host", true, side("a", false, 0, 1, 2), side("a", false, 0, 1, 2), [2]int{2, 0}},
		{"one host with one CPU", true, side("a", false, 0), side("a", false, 0), [2]int{noCPU, noCPU}},
		{"one host, the client pinned", true, side("a", true, 0), side("a", false, 0, 1), [2]int{0, 1}},
		{"one host, the server pinned to the last", true, side("a", false, 0, 1), side("a", true, 1), [2]int{0, 1}},
		{"one host, both pinned to one", true, side("a", true, 1), side("a", true, 1), [2]int{1, 1}},
		{"two hosts", true, side("a", false, 0, 1), side("b", false, 4, 6), [2]int{1, 6}},
		{"two hosts, one with one CPU", true, side("a", false, 0), side("b", false, 4, 6), [2]int{noCPU, 6}},
		{"two hosts that do not say which", true, side("", false, 0, 1), side("", false, 0, 1), [2]int{1, 1}},
		{"no CPUs known", true, side("a", false), side("a", true), [2]int{noCPU, noCPU}},
	} {
		client, server := places(c.compare, c.client, c.server)
		if got := [2]int{client, server}; got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// affinities returns the CPUs of each thread of the process.
func affinities(t *testing.T) map[int][]int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	all := map[int][]int{}
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		var set unix.CPUSet
		if err != nil || unix.SchedGetaffinity(tid, &set) != nil {
			continue // it has ended
		}
		for cpu := range len(set) * 64 {
			if set.IsSet(cpu) {
				all[tid] = append(all[tid], cpu)
			}
		}
	}
	return all
}

// While a thread measures on a CPU the others are kept off it; afterwards all may run
// anywhere again.
func TestOtherThreadsAreKeptOff(t *testing.T) {
	mine := newThreads()
	room := mine.free(nil)
	if len(room) < 2 {
		t.Skip("needs two CPUs")
	}
	cpu := room[len(room)-1]
	release := mine.keepOff(cpu, noCPU)
	measured := make(chan int)
	done := make(chan bool)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends
		leave := mine.measureOn(cpu)
		measured <- unix.Gettid()
		<-done
		leave()
		measured <- unix.Gettid()
	}()
	tid := <-measured
	for other, cpus := range affinities(t) {
		if other == mine.monitor {
			continue // it waits for the loop, on its CPU
		}
		if other == tid && !slices.Equal(cpus, []int{cpu}) || other != tid && slices.Contains(cpus, cpu) {
			t.Errorf("thread %d, the measuring one is %d, may run on %v", other, tid, cpus)
		}
	}
	done <- true
	<-measured
	release()
	for other, cpus := range affinities(t) {
		if !slices.Equal(cpus, room) {
			t.Errorf("afterwards thread %d may run on %v, want %v", other, cpus, room)
		}
	}
}

// Where runs measure on every CPU there is nowhere else to be.
func TestThreadsStayWhereAllCPUsAreTaken(t *testing.T) {
	mine := newThreads()
	room := mine.free(nil)
	for _, cpu := range room {
		defer mine.keepOff(cpu, noCPU)()
	}
	for tid, cpus := range affinities(t) {
		if !slices.Equal(cpus, room) {
			t.Errorf("thread %d may run on %v, want %v", tid, cpus, room)
		}
	}
}

// A CPU that a run measures on is not offered to the next one, and the peer's is spared
// where there is a third.
func TestCPUsOfOtherRunsAreLeftAlone(t *testing.T) {
	mine := newThreads()
	mine.room = []int{2, 3, 4}
	mine.taken[3], mine.spared[4] = 1, 1
	if got := mine.free(nil); !slices.Equal(got, []int{2, 4}) {
		t.Errorf("free are %v", got)
	}
	if got := mine.free([]int{7, 4, 3}); !slices.Equal(got, []int{4}) {
		t.Errorf("free and near are %v", got)
	}
	if got := mine.free([]int{3}); !slices.Equal(got, []int{2, 4}) {
		t.Errorf("free where what is near is taken: %v", got)
	}
	others := mine.others()
	if !others.IsSet(2) || others.Count() != 1 {
		t.Errorf("%d CPUs for others, 2 among them: %v", others.Count(), others.IsSet(2))
	}
	mine.taken[2] = 1
	if others = mine.others(); !others.IsSet(4) || others.Count() != 1 {
		t.Errorf("the peer's is not used where there is no other")
	}
}

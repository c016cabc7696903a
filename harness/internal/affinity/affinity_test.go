package affinity

import (
	"os"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/internal/sched"
)

func TestCPUsOfMeasuringThreads(t *testing.T) {
	side := func(boot string, pinned bool, cpus ...int) Side {
		return Side{Boot: boot, CPUs: cpus, Pinned: pinned}
	}
	for _, c := range []struct {
		what           string
		compare        bool
		client, server Side
		want           [2]int
	}{
		{"perftest's own test", false, side("a", false, 0, 1), side("b", false, 0, 1), [2]int{NoCPU, NoCPU}},
		{"pinned in any run", false, side("a", true, 3, 1), side("b", false, 0, 1), [2]int{3, NoCPU}},
		{"one host", true, side("a", false, 0, 1, 2), side("a", false, 0, 1, 2), [2]int{2, 0}},
		{"one host with one CPU", true, side("a", false, 0), side("a", false, 0), [2]int{NoCPU, NoCPU}},
		{"one host, the client pinned", true, side("a", true, 0), side("a", false, 0, 1), [2]int{0, 1}},
		{"one host, the server pinned to the last", true, side("a", false, 0, 1), side("a", true, 1), [2]int{0, 1}},
		{"one host, both pinned to one", true, side("a", true, 1), side("a", true, 1), [2]int{1, 1}},
		{"two hosts", true, side("a", false, 0, 1), side("b", false, 4, 6), [2]int{1, 6}},
		{"two hosts, one with one CPU", true, side("a", false, 0), side("b", false, 4, 6), [2]int{NoCPU, 6}},
		{"two hosts that do not say which", true, side("", false, 0, 1), side("", false, 0, 1), [2]int{1, 1}},
		{"no CPUs known", true, side("a", false), side("a", true), [2]int{NoCPU, NoCPU}},
	} {
		client, server := Choose(c.compare, c.client, c.server)
		if got := [2]int{client, server}; got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

func TestCPUsOfSeveralThreads(t *testing.T) {
	side := func(boot string, pinned bool, cpus ...int) Side {
		return Side{Boot: boot, CPUs: cpus, Pinned: pinned}
	}
	none := []int{NoCPU, NoCPU}
	for _, c := range []struct {
		what           string
		client, server Side
		ofClients      []int
		ofServers      []int
	}{
		{"two hosts", side("a", false, 0, 1, 2), side("b", false, 4, 6), []int{2, 1}, []int{6, 4}},
		{"one host with CPUs for all", side("a", false, 0, 1, 2, 3), side("a", false, 0, 1, 2, 3), []int{3, 2}, []int{1, 0}},
		{"one host with a CPU for one of the server's", side("a", false, 0, 1, 2), side("a", false, 0, 1, 2), []int{2, 1}, []int{0, 1}},
		{"one host with two CPUs: those that communicate are apart", side("a", false, 0, 1), side("a", false, 0, 1), []int{1, 0}, []int{0, 1}},
		{"pinned", side("a", true, 5, 3, 4), side("b", true, 7, 6), []int{5, 3}, []int{7, 6}},
		{"too few CPUs", side("a", true, 5), side("b", false, 6), none, none},
		{"hosts that do not say which", side("", false, 0, 1), side("", false, 0, 1), []int{1, 0}, []int{1, 0}},
	} {
		ofClients, ofServers := ChooseEach(2, []Side{c.client}, []Side{c.server})
		if !slices.Equal(ofClients, c.ofClients) || !slices.Equal(ofServers, c.ofServers) {
			t.Errorf("%s: %v and %v, want %v and %v", c.what, ofClients, ofServers, c.ofClients, c.ofServers)
		}
	}
}

// The threads of each device get CPUs near it, and no CPU twice.
func TestCPUsOfSeveralDevices(t *testing.T) {
	near := func(boot string, cpus ...[]int) (all []Side) {
		for _, c := range cpus {
			all = append(all, Side{Boot: boot, CPUs: c})
		}
		return all
	}
	none := []int{NoCPU, NoCPU}
	for _, c := range []struct {
		what                 string
		clients, servers     []Side
		ofClients, ofServers []int
	}{
		{"two sockets on two hosts", near("a", []int{0, 1}, []int{2, 3}), near("b", []int{0, 2}, []int{1, 3}), []int{1, 3}, []int{2, 3}},
		{"the same CPUs", near("a", []int{0, 1, 2}, []int{0, 1, 2}), near("b", []int{0, 1}, []int{0, 1}), []int{2, 1}, []int{1, 0}},
		{"one host with CPUs for all", near("a", []int{0, 1, 2, 3}, []int{0, 1, 2, 3}), near("a", []int{0, 1, 2, 3}, []int{0, 1, 2, 3}), []int{3, 2}, []int{1, 0}},
		{"one host with two CPUs: those that communicate are apart", near("a", []int{0, 1}, []int{0, 1}), near("a", []int{0, 1}, []int{0, 1}), []int{1, 0}, []int{0, 1}},
		{"no CPU is left near the second device", near("a", []int{0, 1}, []int{1}), near("b", []int{0}, []int{1}), none, []int{0, 1}},
	} {
		ofClients, ofServers := ChooseEach(1, c.clients, c.servers)
		if !slices.Equal(ofClients, c.ofClients) || !slices.Equal(ofServers, c.ofServers) {
			t.Errorf("%s: %v and %v, want %v and %v", c.what, ofClients, ofServers, c.ofClients, c.ofServers)
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

// While a thread is reserved for a CPU the other threads of the process are kept off it; afterwards all
// of them may run on any CPU again.
func TestOtherThreadsAreKeptOff(t *testing.T) {
	room := Free(nil)
	if len(room) < 2 {
		t.Skip("needs two CPUs")
	}
	cpu := room[len(room)-1]
	reserved, done := make(chan int), make(chan bool)
	go func() {
		release := Reserve(cpu)
		LockThread(cpu)()
		reserved <- unix.Gettid()
		<-done
		release()
		close(reserved)
	}()
	tid := <-reserved
	for other, cpus := range affinities(t) {
		if other == tid && !slices.Equal(cpus, []int{cpu}) || other != tid && slices.Contains(cpus, cpu) {
			t.Errorf("thread %d may run on the CPU of the measuring thread %d: %v", other, tid, cpus)
		}
	}
	if free := Free([]int{cpu}); slices.Contains(free, cpu) {
		t.Errorf("another run may measure on the reserved CPU %d: %v", cpu, free)
	}
	close(done)
	<-reserved
	checkAllOn(t, room)
}

// checkAllOn checks that all threads may run on some CPUs.
func checkAllOn(t *testing.T, want []int) {
	t.Helper()
	for tid, cpus := range affinities(t) {
		if !slices.Equal(cpus, want) {
			t.Errorf("thread %d may run on %v, want %v", tid, cpus, want)
		}
	}
}

// A bound thread is on near CPUs, also while threads of another run are placed. Once it is released all
// threads may run on all CPUs again.
func TestBind(t *testing.T) {
	room := Free(nil)
	if len(room) < 2 {
		t.Skip("needs two CPUs")
	}
	last := room[len(room)-1]
	release := Bind([]int{last, 1000})
	tid := unix.Gettid()
	for range 2 {
		for other, cpus := range affinities(t) {
			want := room
			if other == tid {
				want = []int{last}
			}
			if !slices.Equal(cpus, want) {
				t.Errorf("thread %d may run on %v, want %v; thread %d is bound", other, cpus, want, tid)
			}
		}
		done := make(chan bool)
		go func() { // another run, with a CPU of its own
			Reserve(room[0])()
			close(done)
		}()
		<-done
	}
	release()
	checkAllOn(t, room)
}

// A function runs on a CPU that the process is kept off, and not at all where it cannot run there.
func TestOn(t *testing.T) {
	room := Free(nil)
	if len(room) < 2 {
		t.Skip("needs two CPUs")
	}
	last := room[len(room)-1]
	Confine(room[:1])
	defer Confine(room)
	var cpus []int
	if err := On(last, func() { cpus = affinities(t)[unix.Gettid()] }); err != nil || !slices.Equal(cpus, []int{last}) {
		t.Errorf("the function ran on %v, error %v; want %d", cpus, err, last)
	}
	if err := On(1000, func() { t.Error("called without the CPU") }); err == nil {
		t.Error("no error for a CPU that does not exist")
	}
}

// A thread that measures on a CPU stays there, and a thread without a near CPU where it was.
func TestBindChangesNothing(t *testing.T) {
	room := Free(nil)
	Bind(nil)()
	Bind([]int{1000})()
	checkAllOn(t, room)
	release := Reserve(room[0])
	defer release()
	unbind := Bind(room)
	for _, when := range []string{"bound", "released"} {
		if cpus := affinities(t)[unix.Gettid()]; !slices.Equal(cpus, room[:1]) {
			t.Errorf("%s: the measuring thread may run on %v, want %v", when, cpus, room[:1])
		}
		if when == "bound" {
			unbind()
		}
	}
}

// If threads are reserved for every CPU, the other threads stay on all of them.
func TestThreadsStayWhereAllCPUsAreTaken(t *testing.T) {
	room := Free(nil)
	reserved, done, ended := make(chan int), make(chan bool), make(chan bool)
	measuring := map[int]int{}
	for _, cpu := range room {
		go func() {
			release := Reserve(cpu)
			reserved <- unix.Gettid()
			<-done
			release()
			ended <- true
		}()
		measuring[<-reserved] = cpu
	}
	for tid, cpus := range affinities(t) {
		want := room
		if cpu, measures := measuring[tid]; measures {
			want = []int{cpu}
		}
		if !slices.Equal(cpus, want) {
			t.Errorf("thread %d may run on %v, want %v", tid, cpus, want)
		}
	}
	close(done)
	for range room {
		<-ended
	}
	checkAllOn(t, room)
}

// A process that is confined stays on its CPUs, and measures on them.
func TestConfine(t *testing.T) {
	room := Free(nil)
	last := room[len(room)-1:]
	Confine(last)
	checkAllOn(t, last)
	if free := Free(nil); !slices.Equal(free, last) {
		t.Errorf("free are %v, want %v", free, last)
	}
	Confine(room)
	checkAllOn(t, room)
}

// The CPU of a measuring run is not used by the next one.
func TestCPUsOfOtherRunsAreLeftAlone(t *testing.T) {
	room := process.room
	process.room, process.reserved = sched.SetOf(2, 3, 4), map[int]int{1: 3}
	defer func() { process.room, process.reserved = room, map[int]int{} }()
	for _, c := range []struct{ near, want []int }{
		{nil, []int{2, 4}},
		{[]int{7, 4, 3}, []int{4}},
		{[]int{3}, []int{2, 4}},
	} {
		if got := Free(c.near); !slices.Equal(got, c.want) {
			t.Errorf("near are %v: free are %v, want %v", c.near, got, c.want)
		}
	}
}

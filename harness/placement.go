package harness

import (
	"cmp"
	"io/fs"
	"os"
	"slices"

	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/internal/topology"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/result"
)

// placement holds the CPUs of the measuring threads, each affinity.NoCPU if there is none.
type placement struct {
	cpus    []int         // of this side's threads
	shared  int           // of both sides' threads, in the rows that measure this
	oneHost bool          // both sides are on one host
	nodes   map[int][]int // NUMA node of each CPU that a thread of this side was on, if known
}

// place chooses the CPUs of both sides' measuring threads, records them in the result, and starts this side's threads.
func (s *session) place(mine, theirs oob.Promise) {
	s.placement = placement{shared: affinity.NoCPU, oneHost: mine.Boot != "" && mine.Boot == theirs.Boot, nodes: map[int][]int{}}
	client, server := mine, theirs
	if s.cfg.Role == Server {
		client, server = theirs, mine
	}
	here, there := s.chooseCPUs(client, server)
	if s.cfg.Role == Server {
		here, there = there, here
	}
	s.cpus = here
	s.startThreads()
	s.recordCPUs(here, there)
}

// chooseCPUs returns the CPUs of the threads of the client and of the server, and sets the one that a thread of each may share.
func (s *session) chooseCPUs(client, server oob.Promise) (ofClients, ofServers []int) {
	if s.plan.AllThreads() > 1 {
		return affinity.ChooseEach(s.plan.Threads, cpuSides(client), cpuSides(server))
	}
	ofClient, ofServer := affinity.Choose(s.plan.Compare, cpuSides(client)[0], cpuSides(server)[0])
	if s.oneHost {
		s.shared = sharedCPU(client, server, ofClient, ofServer)
	}
	return []int{ofClient}, []int{ofServer}
}

// sharedCPU returns the CPU on which both threads are also measured: the client's, if the threads are on
// different ones and the server may use it too.
func sharedCPU(client, server oob.Promise, ofClient, ofServer int) int {
	if ofClient == affinity.NoCPU || ofServer == affinity.NoCPU || ofClient == ofServer || !slices.Contains(server.CPUs, ofClient) {
		return affinity.NoCPU
	}
	return ofClient
}

// recordCPUs records the CPUs of both sides' threads and, where this side can read them, the idle states of the first one's: each
// side sent those of the CPU that it prefers.
func (s *session) recordCPUs(here, there []int) {
	f := s.cfg.File
	setPinned(&f.Local, here)
	setPinned(&f.Peer, there)
	if here[0] != affinity.NoCPU {
		f.Local.Idle = IdleOf(os.DirFS("/"), here[0])
	}
	if there[0] != affinity.NoCPU && s.oneHost {
		f.Peer.Idle = IdleOf(os.DirFS("/"), there[0])
	}
}

// setPinned records the CPUs that the threads of a side are pinned to.
func setPinned(side *result.Side, cpus []int) {
	switch {
	case cpus[0] == affinity.NoCPU:
	case len(cpus) == 1:
		side.PinnedCPU = &cpus[0]
	default:
		side.PinnedCPUs = cpus
	}
}

// cpusOf returns the CPUs of this side's threads in a mode.
func (s *session) cpusOf(m testcase.Mode) []int {
	if m.OneCPU() {
		return []int{s.shared}
	}
	return s.cpus
}

// IdleOf returns what the kernel does with a CPU that has no work, by sysfs below root; of the first CPU if cpu is
// negative.
func IdleOf(root fs.FS, cpu int) *result.Idle {
	idle := topology.IdleOf(root, max(0, cpu))
	r := &result.Idle{Driver: cmp.Or(idle.Driver, result.NoIdleDriver), Governor: idle.Governor}
	for _, state := range idle.States {
		r.States = append(r.States, result.IdleState{Name: state.Name, ExitNs: float64(state.Exit.Nanoseconds())})
	}
	if idle.Limit >= 0 {
		limit := float64(idle.Limit.Nanoseconds())
		r.LimitNs = &limit
	}
	return r
}

// addPlacement adds the CPUs of a round, unless the sides have several threads.
func (rb *rowBuilder) addPlacement(mine, theirs oob.Round) {
	pair := [2]int{mine.CPU, theirs.CPU}
	measured := mine.WallNs > 0 && theirs.WallNs > 0 && mine.CPU >= 0 && theirs.CPU >= 0
	if measured && !slices.Contains(rb.placements, pair) && len(rb.placements) < maxCPUs {
		rb.placements = append(rb.placements, pair)
	}
}

// distances returns the distances of pairs of CPUs, each once; none if the sides are on different hosts.
func (s *session) distances(pairs [][2]int) (all []string) {
	if !s.oneHost {
		return nil
	}
	for _, pair := range pairs {
		if d := topology.Distance(os.DirFS("/"), pair[0], pair[1]); d != "" && !slices.Contains(all, d) {
			all = append(all, d)
		}
	}
	return all
}

// cpus returns the CPUs that a side may measure on with a device, if it has a number of threads. The preferred CPU is the last
// one, or the first if the side is pinned. Several threads prefer CPUs of different cores.
func (c *Config) cpus(d *DevicePort, threads int) []int {
	switch {
	case c.Pin:
		return d.CPUs
	case threads > 1:
		return coresLast(os.DirFS("/"), affinity.Free(d.CPUs))
	}
	return affinity.Free(d.CPUs)
}

// coresLast returns CPUs so that the last ones are of different cores.
func coresLast(root fs.FS, cpus []int) []int {
	var firsts, others []int
	for _, cpu := range cpus {
		sharesCore := func(first int) bool { return slices.Contains(topology.Siblings(root, cpu), first) }
		if slices.ContainsFunc(firsts, sharesCore) {
			others = append(others, cpu)
		} else {
			firsts = append(firsts, cpu)
		}
	}
	return append(others, firsts...)
}

// preferredCPU returns the preferred CPU with a device, or affinity.NoCPU if none is known.
func (c *Config) preferredCPU(d *DevicePort) int {
	all := c.cpus(d, 1)
	switch {
	case len(all) == 0:
		return affinity.NoCPU
	case c.Pin:
		return all[0]
	}
	return all[len(all)-1]
}

// cpuSides returns the CPUs of the side that made a promise, device by device.
func cpuSides(p oob.Promise) (all []affinity.Side) {
	for _, cpus := range append([][]int{p.CPUs}, p.MoreCPUs...) {
		all = append(all, affinity.Side{Boot: p.Boot, CPUs: cpus, Pinned: p.Pinned})
	}
	return all
}

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

// placement holds the CPUs of both sides' measuring threads, each affinity.NoCPU if there is none.
type placement struct {
	cpu     int           // of this side's thread
	shared  int           // of both threads, in the rows that measure this
	oneHost bool          // both sides are on one host
	nodes   map[int][]int // NUMA node of each CPU that a thread of this side was on, if known
}

// place chooses the CPUs of both sides' measuring threads and records them in the result.
func (s *session) place(mine, theirs oob.Promise) {
	s.placement = placement{cpu: affinity.NoCPU, shared: affinity.NoCPU, oneHost: mine.Boot != "" && mine.Boot == theirs.Boot, nodes: map[int][]int{}}
	if s.plan.Workers > 1 {
		return
	}
	client, server := mine, theirs
	if s.cfg.Role == Server {
		client, server = theirs, mine
	}
	ofClient, ofServer := affinity.Choose(s.plan.Compare, cpuSide(client), cpuSide(server))
	here, there := ofClient, ofServer
	if s.cfg.Role == Server {
		here, there = there, here
	}
	s.cpu = here
	if s.oneHost {
		s.shared = sharedCPU(client, server, ofClient, ofServer)
	}
	s.releaseCPUs = affinity.Reserve(here)
	s.recordCPUs(here, there)
}

// sharedCPU returns the CPU on which both threads are also measured: the client's, if the threads are on
// different ones and the server may use it too.
func sharedCPU(client, server oob.Promise, ofClient, ofServer int) int {
	if ofClient == affinity.NoCPU || ofServer == affinity.NoCPU || ofClient == ofServer || !slices.Contains(server.CPUs, ofClient) {
		return affinity.NoCPU
	}
	return ofClient
}

// recordCPUs records the CPUs of both sides and, where this side can read them, their idle states: each
// side sent those of the CPU that it prefers.
func (s *session) recordCPUs(here, there int) {
	f := s.cfg.File
	if here != affinity.NoCPU {
		f.Local.PinnedCPU, f.Local.Idle = &here, IdleOf(os.DirFS("/"), here)
	}
	if there != affinity.NoCPU {
		f.Peer.PinnedCPU = &there
		if s.oneHost {
			f.Peer.Idle = IdleOf(os.DirFS("/"), there)
		}
	}
}

// cpuOf returns the CPU of this side's thread in a mode.
func (s *session) cpuOf(m testcase.Mode) int {
	if m.OneCPU() {
		return s.shared
	}
	return s.cpu
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

// addPlacement adds the CPUs of a round.
func (rb *rowBuilder) addPlacement(mine, theirs oob.Round) {
	pair := [2]int{mine.CPU, theirs.CPU}
	measured := mine.WallNs > 0 && theirs.WallNs > 0 && mine.CPU >= 0 && theirs.CPU >= 0
	if measured && !slices.Contains(rb.placements, pair) && len(rb.placements) < maxCPUs {
		rb.placements = append(rb.placements, pair)
	}
}

// distances returns the distances of pairs of CPUs, each once; none if the sides are on different hosts
// or have several threads.
func (s *session) distances(pairs [][2]int) (all []string) {
	if !s.oneHost || s.plan.Workers > 1 {
		return nil
	}
	for _, pair := range pairs {
		if d := topology.Distance(os.DirFS("/"), pair[0], pair[1]); d != "" && !slices.Contains(all, d) {
			all = append(all, d)
		}
	}
	return all
}

// cpus returns the CPUs that a side may measure on. The preferred CPU is the last one, or the first
// if the side is pinned.
func (c *Config) cpus() []int {
	if c.Pin {
		return c.CPUs
	}
	return affinity.Free(c.CPUs)
}

// preferredCPU returns the preferred CPU, or affinity.NoCPU if none is known.
func (c *Config) preferredCPU() int {
	all := c.cpus()
	switch {
	case len(all) == 0:
		return affinity.NoCPU
	case c.Pin:
		return all[0]
	}
	return all[len(all)-1]
}

// cpuSide returns the CPUs of the side that made a promise.
func cpuSide(p oob.Promise) affinity.Side {
	return affinity.Side{Boot: p.Boot, CPUs: p.CPUs, Pinned: p.Pinned}
}

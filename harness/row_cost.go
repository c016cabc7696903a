package harness

import (
	"slices"

	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/result"
)

// maxCPUs is the largest number of CPUs that a row lists for a thread.
const maxCPUs = 1024

// sideCost holds what the thread of a side spent in all rounds.
type sideCost struct {
	cpu, wall         int64 // ns
	sleeps, preempted int64
	drift             float64 // largest drift of the clock
	cpus              []int   // CPUs that the thread was on
	nodes             []int   // NUMA nodes of the threads
}

func (c *sideCost) add(r oob.Round) {
	c.cpu += r.CPUNs
	c.wall += r.WallNs
	c.sleeps += int64(r.Sleeps)
	c.preempted += int64(r.Preempted)
	if r.WallNs > 0 {
		c.addCPUs(append(r.CPUs, r.CPU))
		c.nodes = addNew(c.nodes, r.Nodes)
	}
	if r.Drift*r.Drift > c.drift*c.drift {
		c.drift = r.Drift
	}
}

// addCPUs adds those of a round that are known.
func (c *sideCost) addCPUs(cpus []int) {
	for _, cpu := range cpus {
		if cpu != affinity.NoCPU && !slices.Contains(c.cpus, cpu) && len(c.cpus) < maxCPUs {
			c.cpus = append(c.cpus, cpu)
		}
	}
}

func (c *sideCost) cost(messages uint64) result.Cost {
	r := result.Cost{Sleeps: uint64(c.sleeps), Preempted: uint64(c.preempted), CPUs: c.cpus, NUMANodes: c.nodes}
	if c.wall > 0 {
		r.PreemptedPerS = float64(c.preempted) / (float64(c.wall) / 1e9)
		r.Busy = min(1, float64(c.cpu)/float64(c.wall))
	}
	if messages > 0 {
		r.CPUNs = float64(c.cpu) / float64(messages)
		r.SleepsPerMessage = float64(c.sleeps) / float64(messages)
	}
	return r
}

package harness

import (
	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/oob"
)

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

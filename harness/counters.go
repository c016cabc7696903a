package harness

import (
	"fmt"
	"os"

	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/result"
)

// Counter is a number that grows, such as a port counter.
type Counter struct {
	Name string
	Read func() (uint64, error)
}

// counterReadings holds the values of all counters of a side.
type counterReadings struct {
	counters map[string]uint64
	busy     uint64 // ticks of all CPUs
	total    uint64
}

// readCounters reads the configured counters.
func (c *Config) readCounters() (n counterReadings, err error) {
	if len(c.Counters) > 0 {
		n.counters = map[string]uint64{}
	}
	for _, counter := range c.Counters {
		if n.counters[counter.Name], err = counter.Read(); err != nil {
			return n, fmt.Errorf("read counter %s: %w", counter.Name, err)
		}
	}
	if c.CPUUtil {
		n.busy, n.total, err = readTicks()
	}
	return n, err
}

// counterGrowth holds the growth of counters in the rounds of a row.
type counterGrowth counterReadings

// add adds the growth in a round.
func (c *counterGrowth) add(before, after counterReadings) {
	for name, n := range after.counters {
		if c.counters == nil {
			c.counters = map[string]uint64{}
		}
		c.counters[name] += n - before.counters[name]
	}
	c.busy += after.busy - before.busy
	c.total += after.total - before.total
}

// addTo sets the growth in the cost of a side.
func (c *counterGrowth) addTo(cost *result.Cost) {
	cost.Counters = c.counters
	if c.total > 0 {
		util := float64(c.busy) / float64(c.total)
		cost.CPUUtil = &util
	}
}

// readTicks reads the times of all CPUs together.
func readTicks() (busy, total uint64, err error) {
	all, err := host.TicksOf(os.DirFS("/"))
	return all[host.AllCPUs].Busy, all[host.AllCPUs].Total, err
}

package harness

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/reports/result"
)

// Counter is a number that grows, such as one of a port.
type Counter struct {
	Name string
	Read func() (uint64, error)
}

// count is what all counters of a side say at a moment.
type count struct {
	counters map[string]uint64
	busy     uint64 // ticks of all CPUs
	total    uint64
}

// count reads the counters that are asked for.
func (c *Config) count() (n count, err error) {
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

// counted is what counters have grown by in the rounds of a row.
type counted count

// add adds a round.
func (c *counted) add(before, after count) {
	for name, n := range after.counters {
		if c.counters == nil {
			c.counters = map[string]uint64{}
		}
		c.counters[name] += n - before.counters[name]
	}
	c.busy += after.busy - before.busy
	c.total += after.total - before.total
}

// tell adds what was counted to what a side has spent.
func (c *counted) tell(cost *result.Cost) {
	cost.Counters = c.counters
	if c.total > 0 {
		util := float64(c.busy) / float64(c.total)
		cost.CPUUtil = &util
	}
}

// idleFields are those of /proc/stat's first line in which CPUs do nothing: idle and iowait.
var idleFields = map[int]bool{4: true, 5: true}

// timeFields are user, nice, system, idle, iowait, irq, softirq and steal; what guests took
// is in user.
const timeFields = 8

// readTicks reads the time of all CPUs together (proc_stat(5)).
func readTicks() (busy, total uint64, err error) {
	f, err := os.Open("/proc/stat")
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadString('\n')
	fields := strings.Fields(line)
	if err != nil || len(fields) <= timeFields {
		return 0, 0, errors.Join(errors.New("/proc/stat: the first line is not that of all CPUs"), err)
	}
	for i, field := range fields[:timeFields+1] {
		if i == 0 {
			continue
		}
		n, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("/proc/stat: %w", err)
		}
		total += n
		if !idleFields[i] {
			busy += n
		}
	}
	return busy, total, nil
}

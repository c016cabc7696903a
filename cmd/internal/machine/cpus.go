package machine

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/sched"
	"github.com/ibperf/ibperf/internal/topology"
	"github.com/ibperf/ibperf/option"
)

// CheckCPUs returns an error if this process may not run on one of the CPUs of --pin_cores.
func CheckCPUs(wanted []int) error {
	set, err := sched.Affinity(0)
	if err != nil {
		return fmt.Errorf("look up the CPUs of this process: sched_getaffinity: %w", err)
	}
	for _, cpu := range wanted {
		if !set.IsSet(cpu) {
			return fmt.Errorf("--pin_cores: this process may not run on CPU %d, see taskset -p %d", cpu, os.Getpid())
		}
	}
	return nil
}

// CPUsNear returns the CPUs near a device, by sysfs below root; nil: all are equally near.
func CPUsNear(root fs.FS, device string) []int {
	cpus, err := option.ParseCPUs(topology.DeviceOf(root, device).CPUs)
	if err != nil {
		return nil // an embedded device, or one without a bus
	}
	return cpus
}

// CPUsOfNode returns the CPUs of a NUMA node that this process may run on, by sysfs below root; none
// if there is no such node.
func CPUsOfNode(root fs.FS, node int) []int {
	text, err := fs.ReadFile(root, "sys/devices/system/node/node"+strconv.Itoa(node)+"/cpulist")
	if err != nil {
		return nil
	}
	cpus, err := option.ParseCPUs(strings.TrimSpace(string(text)))
	if err != nil {
		return nil
	}
	set, err := sched.Affinity(0)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(cpus, func(cpu int) bool { return !set.IsSet(cpu) })
}

// CheckNode returns an error if this process may not run on any CPU of the NUMA node; -1: the option
// was not given.
func CheckNode(root fs.FS, node int) error {
	if node < 0 || len(CPUsOfNode(root, node)) > 0 {
		return nil
	}
	return fmt.Errorf("--numa_node %d: this process may run on no CPU of such a node, see lscpu and taskset", node)
}

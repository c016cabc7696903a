package cli

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/sched"
	"github.com/ibperf/ibperf/option"
)

// nodeCPUs are the CPUs of a NUMA node that this process may run on, by sysfs below root;
// none if there is no such node.
func nodeCPUs(root fs.FS, node int) []int {
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

// numaNode is the node that is named; nil: none is.
func (o *options) numaNode() *int {
	if o.Own.NUMANode < 0 {
		return nil
	}
	return &o.Own.NUMANode
}

// checkNode finds a NUMA node that this process cannot run on; -1: none is named.
func checkNode(root fs.FS, node int) error {
	if node < 0 || len(nodeCPUs(root, node)) > 0 {
		return nil
	}
	return usage(fmt.Sprintf("--numa_node %d: this process may run on no CPU of such a node, see lscpu and taskset", node))
}

package topology

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/host"
)

// parseList returns the CPUs of a list of the kernel, such as "0-3,8". It leaves out what is not a range.
func parseList(list string) (cpus []int) {
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		for cpu := first; err1 == nil && err2 == nil && cpu <= min(last, first+mostCPUs); cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// mostCPUs is more than the number of CPUs of any kernel.
const mostCPUs = 1 << 16

// Siblings returns the other hardware threads of a CPU's core; none if sysfs does not tell them.
func Siblings(root fs.FS, cpu int) []int {
	return slices.DeleteFunc(threads(root, cpu), func(other int) bool { return other == cpu })
}

// threads returns the hardware threads of a CPU's core.
func threads(root fs.FS, cpu int) []int {
	list := text(root, topologyFile(cpu, "core_cpus_list"))
	if list == "" {
		list = text(root, topologyFile(cpu, "thread_siblings_list"))
	}
	return parseList(list)
}

// Allowed returns the CPUs that this process may run on; none if the kernel does not tell them.
func Allowed(root fs.FS) (cpus []int) {
	return parseList(host.Field(root, "proc/self/status", "Cpus_allowed_list:"))
}

// Cores returns the number of cores that some CPUs belong to, or 0 if sysfs does not tell it.
func Cores(root fs.FS, cpus []int) int {
	first := map[int]bool{} // hardware threads of the cores
	for _, cpu := range cpus {
		all := threads(root, cpu)
		if len(all) == 0 {
			return 0
		}
		first[slices.Min(all)] = true
	}
	return len(first)
}

// NodesOf returns the NUMA nodes of some CPUs, in the order of the nodes, without those that sysfs does not tell.
func NodesOf(root fs.FS, cpus []int) (nodes []int) {
	for _, cpu := range cpus {
		if node := NodeOf(root, cpu); node != Unknown && !slices.Contains(nodes, node) {
			nodes = append(nodes, node)
		}
	}
	slices.Sort(nodes)
	return nodes
}

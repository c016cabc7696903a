package harness

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/internal/topology"
	"github.com/ibperf/ibperf/result"
)

// nearDevice calls create, which makes memory and queues, on a thread near the device, and returns the NUMA
// nodes of the CPUs that the thread was on. The pages of memory and queues are on the node of the CPU that
// accesses them first. Afterwards the thread may run where it could before. With --pin_cores or --numa_node
// the process stays on the CPUs of the option.
func (s *session) nearDevice(d *DevicePort, create func() error) (nodes []int, err error) {
	if !s.cfg.Pin {
		defer affinity.Bind(d.CPUs)()
	}
	nodes = nodesOf(affinity.CurrentCPU())
	err = create()
	return addNew(nodes, nodesOf(affinity.CurrentCPU())), err
}

// nodesOf returns the NUMA node of a CPU, or none if it is unknown.
func nodesOf(cpu int) []int {
	node := topology.NodeOf(os.DirFS("/"), cpu)
	if node == topology.Unknown {
		return nil
	}
	return []int{node}
}

// nodesOf returns the NUMA node of a CPU that a measuring thread was on, or none if it is unknown.
func (s *session) nodesOf(cpu int) []int {
	nodes, found := s.nodes[cpu]
	if !found {
		nodes = nodesOf(cpu)
		s.nodes[cpu] = nodes
	}
	return nodes
}

// numaOf returns the NUMA nodes of a device, of the threads that have made its memory and queues, and of the
// memory.
func numaOf(d *deviceSetup) *result.NUMA {
	root, r := os.DirFS("/"), d.resources
	n := &result.NUMA{Nodes: topology.Nodes(root), SetUp: d.nodes}
	if t := topology.DeviceOf(root, r.DeviceName()); t.Node != topology.Unknown {
		n.Device = &t.Node
	}
	from := r.Buffer.Addr()
	n.Memory = shares(topology.MemoryNodes(root, from, from+uint64(len(r.Buffer.Bytes()))))
	return n
}

// shares returns the part of the pages on each node, by number of the node.
func shares(pages map[int]int) (all []result.NodeShare) {
	total := 0
	for _, n := range pages {
		total += n
	}
	for _, node := range slices.Sorted(maps.Keys(pages)) {
		all = append(all, result.NodeShare{Node: node, Share: float64(pages[node]) / float64(total)})
	}
	return all
}

// mostlyThere is the part of the memory from which on it counts as being on its node. The kernel takes single
// pages from another node if it has them at hand.
const mostlyThere = 0.9

// numaWarning returns the warning that most of a side's memory is not on the node of its device.
func numaWarning(name, device string, n *result.NUMA) []result.Warning {
	if n == nil || n.Device == nil || len(n.Memory) == 0 {
		return nil
	}
	there := 0.0
	for _, m := range n.Memory {
		if m.Node == *n.Device {
			there = m.Share
		}
	}
	if there >= mostlyThere {
		return nil
	}
	return []result.Warning{{ID: result.WarnNUMANode, Text: fmt.Sprintf(
		"on %s %.0f %% of the memory is on other NUMA nodes than device %s, which is on node %d: messages cross the link between the sockets; "+
			"--numa_node %d avoids it, or let the process run on the device's CPUs (taskset)",
		name, 100*(1-there), device, *n.Device, *n.Device)}}
}

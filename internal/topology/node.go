package topology

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// NodeOf returns the NUMA node of a CPU, or Unknown.
func NodeOf(root fs.FS, cpu int) int {
	nodes, err := fs.Glob(root, path.Join(folder(cpu), "node[0-9]*"))
	if err != nil || len(nodes) == 0 {
		return Unknown
	}
	node, err := strconv.Atoi(strings.TrimPrefix(path.Base(nodes[0]), "node"))
	if err != nil {
		return Unknown
	}
	return node
}

// Nodes returns the number of NUMA nodes with memory or CPUs, or 0 if it is unknown.
func Nodes(root fs.FS) int {
	nodes, err := fs.Glob(root, "sys/devices/system/node/node[0-9]*")
	if err != nil {
		return 0
	}
	return len(nodes)
}

// MemoryNodes returns how many pages of this process's memory from an address to another are on each NUMA
// node, by numa_maps of proc_pid_numa_maps(5). It asks for mappings that begin there, and counts pages
// that are mapped: none if no page was accessed, or if the kernel does not tell.
func MemoryNodes(root fs.FS, from, to uint64) map[int]int {
	pages := map[int]int{}
	for line := range strings.Lines(text(root, "proc/self/numa_maps")) {
		first, rest, _ := strings.Cut(line, " ")
		begin, err := strconv.ParseUint(first, 16, 64)
		if err != nil || begin < from || begin >= to {
			continue
		}
		for field := range strings.FieldsSeq(rest) {
			if node, n, ok := nodeField(field); ok {
				pages[node] += n
			}
		}
	}
	return pages
}

// nodeField parses "N0=256".
func nodeField(field string) (node, pages int, ok bool) {
	name, count, found := strings.Cut(field, "=")
	digits, isNode := strings.CutPrefix(name, "N")
	node, err1 := strconv.Atoi(digits)
	pages, err2 := strconv.Atoi(count)
	return node, pages, found && isNode && err1 == nil && err2 == nil
}

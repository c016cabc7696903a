// Package topology reads from sysfs how far apart two CPUs are, what an idle CPU does, at which NUMA node a device, a
// CPU and memory are, and what lies between a device and memory: PCIe links, IOMMU, the interrupts of completion
// vectors. Its functions take the root of the file system.
package topology

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// The distances of two CPUs, from near to far. CPUs of different cores that share a cache are at
// "same L2" or "same L3".
const (
	SameCPU      = "same CPU"
	SameCore     = "same core" // hardware threads of one core
	sameCache    = "same L"
	SamePackage  = "same package"
	OtherPackage = "other package"
)

// Distance returns the distance of two CPUs, or "" if sysfs does not tell it, as for a CPU that is
// offline.
func Distance(root fs.FS, a, b int) string {
	if a == b {
		return SameCPU
	}
	if inCore, _ := lists(root, b, topologyFile(a, "core_cpus_list"), topologyFile(a, "thread_siblings_list")); inCore {
		return SameCore
	}
	if level := sharedCache(root, a, b); level > 0 {
		return sameCache + strconv.Itoa(level)
	}
	inPackage, known := lists(root, b, topologyFile(a, "package_cpus_list"), topologyFile(a, "core_siblings_list"))
	_, online := lists(root, a, topologyFile(b, "package_cpus_list"), topologyFile(b, "core_siblings_list"))
	switch {
	case inPackage:
		return SamePackage
	case known && online:
		return OtherPackage
	}
	return ""
}

// sharedCache returns the lowest level of the data caches that two CPUs share, or 0 if they share
// none. The caches of the first level belong to one core.
func sharedCache(root fs.FS, a, b int) (lowest int) {
	caches, err := fs.Glob(root, path.Join(folder(a), "cache/index[0-9]*"))
	if err != nil {
		return 0
	}
	for _, cache := range caches {
		level, err := strconv.Atoi(text(root, path.Join(cache, "level")))
		shared, _ := lists(root, b, path.Join(cache, "shared_cpu_list"))
		if err == nil && shared && level > 1 && (lowest == 0 || level < lowest) && text(root, path.Join(cache, "type")) != "Instruction" {
			lowest = level
		}
	}
	return lowest
}

// lists reports whether the first of the files that exists lists a CPU, and whether any exists. The
// kernel renamed these files in 5.2.
func lists(root fs.FS, cpu int, files ...string) (in, known bool) {
	for _, file := range files {
		list := text(root, file)
		if list == "" {
			continue
		}
		return slices.Contains(parseList(list), cpu), true
	}
	return false, false
}

// folder returns the folder of a CPU.
func folder(cpu int) string { return "sys/devices/system/cpu/cpu" + strconv.Itoa(cpu) }

func topologyFile(cpu int, name string) string { return path.Join(folder(cpu), "topology", name) }

// text returns the content of a small file, or "" if it cannot be read.
func text(root fs.FS, file string) string {
	content, err := fs.ReadFile(root, file)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}

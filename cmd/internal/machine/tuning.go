package machine

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/internal/topology"
	"github.com/ibperf/ibperf/result"
)

// TuningOf returns how this host is set up for a port of a device and a completion vector, with root as its file
// system. Embedded devices have no PCI function, interrupt or network interface.
func TuningOf(root fs.FS, device string, port, vector int) *result.Tuning {
	allowed := topology.Allowed(root)
	return &result.Tuning{
		PCI:       pciOf(root, device),
		Interrupt: interruptOf(root, device, vector),
		Interface: interfaceOf(root, device, port),
		Boost:     (*result.Boost)(host.BoostOf(root)),
		LockLimit: host.LockLimit(root),
		HugePages: (*result.HugePages)(host.HugePagesOf(root)),
		Nodes:     topology.NodesOf(root, allowed),
		Cores:     topology.Cores(root, allowed),
	}
}

func pciOf(root fs.FS, device string) *result.PCI {
	p := topology.PCIOf(root, device, host.IsVirtual(root))
	if p.Address == "" {
		return nil
	}
	return &result.PCI{
		Address: p.Address, Virtual: p.Virtual, Link: linkOf(p.Link), Largest: linkOf(p.Largest), Slot: linkOf(p.Slot),
		Above: linkOf(p.Above), AboveAt: p.AboveAt, IOMMU: p.IOMMU, Bypassed: host.IOMMUPassthrough(root), RelaxedOrdering: p.RelaxedOrdering,
	}
}

func linkOf(l topology.Link) *result.PCILink {
	if l == (topology.Link{}) {
		return nil
	}
	return &result.PCILink{Speed: l.Speed, Width: l.Width, Rate: l.Rate()}
}

func interruptOf(root fs.FS, device string, vector int) *result.Interrupt {
	i, known := topology.InterruptOf(root, device, vector)
	if !known || !result.IsPlain(i.List) {
		return nil
	}
	return &result.Interrupt{Vector: vector, Number: i.Number, CPUs: i.List, Nodes: topology.NodesOf(root, i.CPUs)}
}

// interfaceOf returns the network interface of a device's port: that of its first GID, else the only one of its PCI
// function; "" if there is none.
func interfaceOf(root fs.FS, device string, port int) string {
	name := ""
	if text, err := fs.ReadFile(root, path.Join(portFolder(device, port), "gid_attrs/ndevs/0")); err == nil {
		name = strings.TrimSpace(string(text))
	} else if entries, err := fs.ReadDir(root, fmt.Sprintf("sys/class/infiniband/%s/device/net", device)); err == nil && len(entries) == 1 {
		name = entries[0].Name()
	}
	if !result.IsPlain(name) {
		return ""
	}
	return name
}

// Inspect describes this machine and the place of a device before any run, with root as the file system. The caller
// adds what the opened device says.
func Inspect(root fs.FS, device string, port int) result.Side {
	s := Side(root)
	s.Tuning = TuningOf(root, device, port, 0)
	cpu := 0
	if allowed := topology.Allowed(root); len(allowed) > 0 {
		cpu = allowed[0]
	}
	s.Idle = harness.IdleOf(root, cpu)
	s.NUMA = &result.NUMA{Nodes: topology.Nodes(root)}
	if d := topology.DeviceOf(root, device); d.Node != topology.Unknown {
		s.NUMA.Device = &d.Node
	}
	return s
}

package host

import (
	"io/fs"
	"slices"
	"strings"
)

// IOMMUPassthrough reports whether the kernel was booted with a parameter by which DMA bypasses the IOMMU.
func IOMMUPassthrough(root fs.FS) bool {
	line, err := fs.ReadFile(root, "proc/cmdline")
	if err != nil {
		return false
	}
	return slices.ContainsFunc(strings.Fields(string(line)), func(parameter string) bool {
		return slices.Contains([]string{"iommu=pt", "iommu.passthrough=1", "iommu.passthrough=on", "iommu.passthrough=y"}, parameter)
	})
}

// IsVirtual reports whether the host is a virtual machine, as its CPU says on x86.
func IsVirtual(root fs.FS) bool {
	_, flags, _ := strings.Cut(Field(root, "proc/cpuinfo", "flags"), ":")
	return slices.Contains(strings.Fields(flags), "hypervisor")
}

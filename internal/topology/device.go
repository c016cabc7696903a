package topology

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Unknown stands for a NUMA node that sysfs does not tell.
const Unknown = -1

// Device is the place of an RDMA device.
type Device struct {
	CPUs string // near it, as a list of the kernel: "0-15,32-47"; empty: unknown
	Node int    // NUMA node, or Unknown
}

// DeviceOf returns the place of an RDMA device, which its PCI function tells. The place of embedded devices, and of
// devices without a bus, is unknown.
func DeviceOf(root fs.FS, name string) Device {
	at := function(root, name)
	if at == "" {
		return Device{Node: Unknown}
	}
	return Device{CPUs: text(root, path.Join(at, "local_cpulist")), Node: number(root, path.Join(at, "numa_node"))}
}

// function returns the folder of the PCI function of an RDMA device, or "" without one: the first folder above the
// device that has a list of CPUs. Only PCI functions have it (drivers/pci/pci-sysfs.c of Linux), and between a
// subfunction and its PCI function is an auxiliary device (mlx5_sf_dev_probe in
// drivers/net/ethernet/mellanox/mlx5/core/sf/dev/driver.c).
func function(root fs.FS, name string) string {
	const class = "sys/class/infiniband"
	link, err := fs.ReadLink(root, path.Join(class, name))
	if err != nil {
		return ""
	}
	for at := path.Join(class, link); strings.HasPrefix(at, "sys/devices/"); at = path.Dir(at) {
		if text(root, path.Join(at, "local_cpulist")) != "" {
			return at
		}
	}
	return ""
}

// number returns the number in a file, or Unknown if there is none.
func number(root fs.FS, file string) int {
	n, err := strconv.Atoi(text(root, file))
	if err != nil || n < 0 {
		return Unknown
	}
	return n
}

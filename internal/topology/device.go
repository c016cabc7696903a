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

// DeviceOf returns the place of an RDMA device, which the first device above it that has the files tells: only
// PCI devices have them (drivers/pci/pci-sysfs.c of Linux), and between a subfunction and its PCI device is an
// auxiliary device (mlx5_sf_dev_probe in drivers/net/ethernet/mellanox/mlx5/core/sf/dev/driver.c). The place
// of embedded devices, and of devices without a bus, is unknown.
func DeviceOf(root fs.FS, name string) Device {
	const class = "sys/class/infiniband"
	link, err := fs.ReadLink(root, path.Join(class, name))
	if err != nil {
		return Device{Node: Unknown}
	}
	for at := path.Join(class, link); strings.HasPrefix(at, "sys/devices/"); at = path.Dir(at) {
		if cpus := text(root, path.Join(at, "local_cpulist")); cpus != "" {
			return Device{CPUs: cpus, Node: number(root, path.Join(at, "numa_node"))}
		}
	}
	return Device{Node: Unknown}
}

// number returns the number in a file, or Unknown if there is none.
func number(root fs.FS, file string) int {
	n, err := strconv.Atoi(text(root, file))
	if err != nil || n < 0 {
		return Unknown
	}
	return n
}

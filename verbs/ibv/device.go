//go:build linux

package ibv

// #include "library.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// device is a device by name: libibverbs frees its own structures with the list.
type device struct {
	name    string
	node    string // uverbs0
	sysfs   string // /sys/class/infiniband/mlx5_0
	iwarp   bool
	foreign bool // the kernel does not have it, as with the library that tests load
}

const transportIWARP = 1

func newDevice(d *C.struct_abi_device) *device {
	out := &device{name: C.GoString(&d.name[0]), node: C.GoString(&d.dev_name[0]), iwarp: d.transport_type == transportIWARP}
	out.sysfs = cmp.Or(C.GoString(&d.ibdev_path[0]), filepath.Join("/sys/class/infiniband", out.name))
	out.foreign = !out.Present()
	return out
}

func (d *device) Name() string    { return d.name }
func (d *device) Backend() string { return "ibv" }

// Sysfs returns the device's folder in sysfs.
func (d *device) Sysfs() string { return d.sysfs }

// Software describes a software device, which has no parent device in sysfs. rdma_rxe
// names the network interface that it runs over.
func (d *device) Software() string {
	if _, err := os.Stat(filepath.Join(d.sysfs, "device")); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if parent, err := os.ReadFile(filepath.Join(d.sysfs, "parent")); err == nil {
		return "rdma_rxe, RoCE in software over " + strings.TrimSpace(string(parent))
	}
	if d.iwarp {
		return "siw, iWARP in software"
	}
	return "RDMA in software"
}

// Present reports whether sysfs has the device's node, which the kernel removes first.
func (d *device) Present() bool {
	_, err := os.Stat(filepath.Join("/sys/class/infiniband_verbs", d.node))
	return d.foreign || !errors.Is(err, fs.ErrNotExist)
}

// Open opens the device.
//
//	struct ibv_context *ibv_open_device(struct ibv_device *device)
func (d *device) Open() (verbs.Context, error) {
	list, err := deviceList()
	if err != nil {
		return nil, err
	}
	defer list.free()
	for _, candidate := range list.devices {
		if C.GoString(&candidate.name[0]) != d.name {
			continue
		}
		c, err := C.ib_open_device(candidate)
		if c == nil {
			return nil, opError("open_device", d.name, err, d.openHint(err))
		}
		return newContext(d, c)
	}
	return nil, opError("open_device", d.name, syscall.ENODEV, "the device is gone")
}

func (d *device) openHint(err error) string {
	switch {
	case errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM):
		return fmt.Sprintf("no permission on /dev/infiniband/%s: this user must be able to read and to write it", d.node)
	case errors.Is(err, syscall.ENOENT):
		return fmt.Sprintf("/dev/infiniband/%s is missing: load the module ib_uverbs, or give the container the device", d.node)
	}
	return ""
}

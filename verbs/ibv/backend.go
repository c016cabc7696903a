//go:build linux

package ibv

/*
#cgo CFLAGS: -std=gnu11 -Wall -Wextra
#cgo LDFLAGS: -ldl
#cgo nocallback ib_load
#cgo nocallback ib_library_file
#cgo nocallback ib_order_file
#include "library.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

// backend offers the devices of libibverbs.
type backend struct{}

func init() { verbs.Register(backend{}) }

// load opens libibverbs, once.
var load = sync.OnceValue(func() error {
	if problem := C.ib_load(); problem != nil {
		return errors.New(C.GoString(problem))
	}
	return nil
})

func (backend) Name() string { return "ibv" }

// Version returns the name of the library's file, such as libibverbs.so.1.14.44.0. The third
// number is rdma-core's version.
func (backend) Version() string {
	if err := load(); err != nil {
		return "not available: " + err.Error()
	}
	return filepath.Base(libraryFile())
}

// libraryFile returns the file of libibverbs, which must be loaded.
func libraryFile() string { return fileOf(C.ib_library_file()) }

// Devices returns the devices that libibverbs finds. Without the library, or without
// the kernel's RDMA support (ENOSYS), it returns none.
//
//	struct ibv_device **ibv_get_device_list(int *num_devices)
func (backend) Devices() ([]verbs.Device, error) {
	if load() != nil {
		return nil, nil
	}
	list, err := deviceList()
	if err != nil {
		return nil, err
	}
	defer list.free()
	out := make([]verbs.Device, len(list.devices))
	for i, d := range list.devices {
		out[i] = newDevice(d)
	}
	return out, nil
}

// Absence returns why there are no devices: the library is missing, or absence.
func (backend) Absence() error {
	if err := load(); err != nil {
		return fmt.Errorf("libibverbs cannot be used: %w; install rdma-core 32 or later "+
			"(Debian, Ubuntu: libibverbs1 and ibverbs-providers; RHEL, Fedora: libibverbs)", err)
	}
	return absence(os.DirFS("/"))
}

// Lookup returns the device with the name, or nil.
func (backend) Lookup(name string) (verbs.Device, error) {
	if load() != nil {
		return nil, nil
	}
	list, err := deviceList()
	if err != nil {
		return nil, err
	}
	defer list.free()
	for _, d := range list.devices {
		if C.GoString(&d.name[0]) == name {
			return newDevice(d), nil
		}
	}
	return nil, nil
}

// cList is the array that ibv_get_device_list returns.
type cList struct {
	first   **C.struct_abi_device
	devices []*C.struct_abi_device
}

// free frees the list, which is empty if the kernel has no RDMA support.
func (l cList) free() {
	if l.first != nil {
		C.ib_free_device_list(l.first)
	}
}

func deviceList() (cList, error) {
	var n C.int
	first, err := C.ib_get_device_list(&n)
	switch {
	case first != nil:
		return cList{first, unsafe.Slice(first, int(n))}, nil
	case err == syscall.ENOSYS:
		return cList{}, nil
	}
	return cList{}, opError("get_device_list", "libibverbs", err, "see ibv_devices; /sys/class/infiniband_verbs must be readable")
}

// fileOf returns the file of a library, with symbolic links resolved.
func fileOf(path *C.char) string {
	name := C.GoString(path)
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

var versionInName = regexp.MustCompile(`^libibverbs\.so\.1\.\d+\.(\d+)\.`)

// versionOf returns the rdma-core version in a library's file name, or 0.
func versionOf(file string) int {
	m := versionInName.FindStringSubmatch(filepath.Base(file))
	if m == nil {
		return 0
	}
	v, _ := strconv.Atoi(m[1])
	return v
}

// absence returns why libibverbs lists no devices, from the kernel's lists under root: the
// kernel has no device, or has no uverbs device for it, or libibverbs has no provider for it.
func absence(root fs.FS) error {
	kernel, offered := names(root, "sys/class/infiniband"), names(root, "sys/class/infiniband_verbs")
	switch {
	case len(kernel) == 0:
		return errors.New("there is nothing in /sys/class/infiniband: check that the host has a card (lspci) and that its driver is loaded, such as mlx5_ib")
	case len(offered) == 0:
		return fmt.Errorf("the kernel has %s in /sys/class/infiniband and no uverbs device in /sys/class/infiniband_verbs: load the module ib_uverbs", strings.Join(kernel, ", "))
	}
	return fmt.Errorf("libibverbs has no provider for %s: install the providers (Debian, Ubuntu: ibverbs-providers; RHEL, Fedora: libibverbs)", strings.Join(kernel, ", "))
}

// names lists a folder of devices, without the file abi_version. It returns nil for a folder
// that cannot be read.
func names(root fs.FS, folder string) (list []string) {
	entries, err := fs.ReadDir(root, folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.Name() != "abi_version" {
			list = append(list, e.Name())
		}
	}
	return list
}

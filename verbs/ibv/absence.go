//go:build linux && cgo

package ibv

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

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

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// iwarpError returns the error about a device that is iWARP, in sysfs below root.
func iwarpError(root fs.FS, device string) error {
	text := fmt.Sprintf("device %s is iWARP, which is not supported, with or without --rdma_cm: ", device)
	if pci := pciOfDriver(root, device, "ice"); pci != "" {
		text += fmt.Sprintf("switch it to RoCE v2 by \"devlink dev param set pci/%[1]s name enable_iwarp value false cmode runtime\" "+
			"and \"devlink dev param set pci/%[1]s name enable_roce value true cmode runtime\", "+
			"with Intel's own driver by \"modprobe irdma roce_ena=1\", or ", pci)
	}
	return errors.New(text + "name an InfiniBand or RoCE device with -d")
}

// pciOfDriver returns the PCI address of an RDMA device if its PCI driver has a name, else "". ice is
// the driver of Intel's E810, whose port is iWARP or RoCE v2: the kernel creates one RDMA device for it
// (ice_devlink_enable_roce_validate in drivers/net/ethernet/intel/ice, irdma_init_rdma_device in
// drivers/infiniband/hw/irdma). X722, whose driver is i40e, has iWARP only.
func pciOfDriver(root fs.FS, device, driver string) string {
	parent := "sys/class/infiniband/" + device + "/device"
	link, err := fs.ReadLink(root, parent+"/driver")
	if err != nil || path.Base(link) != driver {
		return ""
	}
	if link, err = fs.ReadLink(root, parent); err != nil {
		return ""
	}
	return path.Base(link)
}

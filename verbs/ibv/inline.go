//go:build linux

package ibv

// #include "library.h"
import "C"

import (
	"os"
	"path/filepath"
)

// vendorMicrosoft is the vendor ID of mana. Older kernels report none
// (mana_ib_query_device in drivers/infiniband/hw/mana/main.c), but their sysfs has the driver.
const vendorMicrosoft = 0x1414

// ignoresInline reports whether the provider ignores SendInline, and yet returns max_inline_data as
// it was asked for. mana's does: mana_ib_post_send_request (providers/mana/wr.c of rdma-core 65)
// looks at other flags alone. The buffer of a send is then in use until its completion.
func (c *context) ignoresInline() bool {
	var a C.struct_abi_device_attr
	if C.ib_query_device(c.c, &a) == 0 && a.vendor_id == vendorMicrosoft {
		return true
	}
	driver, err := os.Readlink(filepath.Join("/sys/class/infiniband", c.dev.name, "device/driver"))
	return err == nil && filepath.Base(driver) == "mana"
}

//go:build linux

package ibv

/*
#include "library.h"
*/
import "C"

import "github.com/ibperf/ibperf/verbs"

// Two drivers of rdma-core 64 copy data out of CQEs when they are polled: mlx5, which has a
// flag to prevent it, and hns, which has none.

// vendorHuawei is the PCI vendor ID of all devices of hns (providers/hns/hns_roce_u.c).
const vendorHuawei = 0x19e5

// heldInCQE returns the size in bytes of the longest SEND that the device may keep in the CQE
// until the CQ is polled. It is 0 except for RC on hns, whose CQEs hold 32 bytes. In older
// hns devices a receive queue entry holds 16 bytes for each SGE; it has one SGE more than
// asked for, rounded up to a power of two (hns_roce_set_qp_params and handle_recv_rq_inl in
// providers/hns). hnsdv_create_qp has no flag to prevent this.
func (c *context) heldInCQE(init *verbs.QPInitAttr) int {
	var a C.struct_abi_device_attr
	if init.Type != verbs.QPTypeRC || C.ib_query_device(c.c, &a) != 0 || a.vendor_id != vendorHuawei {
		return 0
	}
	held := 32
	for init.SRQ == nil && held < 16*(init.Cap.MaxRecvSGE+1) {
		held *= 2
	}
	return held
}

//go:build linux

package ibv

/*
#cgo noescape mlx5_create_qp
#cgo nocallback mlx5_load
#include "library.h"
#include "mlx5.h"
*/
import "C"

import (
	"sync"

	"github.com/ibperf/ibperf/verbs"
)

// Of the drivers of rdma-core, two copy data out of CQEs when they are polled (seen in
// version 64): mlx5, which can be told not to, and hns, which cannot.

// hasMlx5 opens libmlx5, once. Without it there is no device that it drives.
var hasMlx5 = sync.OnceValue(func() bool { return C.mlx5_load() != 0 })

func (c *context) isMlx5() bool { return hasMlx5() && C.mlx5_drives(c.c.device) != 0 }

// createWithoutScatter creates a QP of mlx5 whose messages are not in CQEs.
//
//	struct ibv_qp *mlx5dv_create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *qp_attr, struct mlx5dv_qp_init_attr *mlx5_qp_attr)
func (p *pd) createWithoutScatter(in *C.struct_abi_qp_init_attr_ex) (c *C.struct_abi_qp, verb string, err error) {
	c, err = C.mlx5_create_qp(p.ctx.c, in, C.ABI_MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE)
	return c, "mlx5dv_create_qp", err
}

// vendorHuawei is the PCI vendor of all devices of hns (providers/hns/hns_roce_u.c).
const vendorHuawei = 0x19e5

// heldInCQE returns up to how many bytes of a SEND the device keeps from memory until the
// CQ is polled, which is for RC on hns alone: its CQEs hold 32, or, in older devices, an
// entry of the receive queue holds 16 for each SGE, of which there is one more than asked
// for, rounded up to a power of two (hns_roce_set_qp_params and handle_recv_rq_inl in
// providers/hns). Its hnsdv_create_qp has no flag that would turn it off.
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

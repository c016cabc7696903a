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
	"os"
	"path/filepath"
	"sync"

	"github.com/ibperf/ibperf/verbs"
)

// hasMlx5 opens libmlx5, once. Without it there is no device of mlx5.
var hasMlx5 = sync.OnceValue(func() bool { return C.mlx5_load() != 0 })

func (c *context) isMlx5() bool { return hasMlx5() && C.mlx5_drives(c.c.device) != 0 }

// mlx5Flags returns the flags of mlx5dv_create_qp for a QP, 0 for one that needs none.
func (c *context) mlx5Flags(init *verbs.QPInitAttr) (flags C.uint32_t) {
	if init.NoScatterToCQE {
		flags |= C.ABI_MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE
	}
	if init.OutOfOrder {
		flags |= C.ABI_MLX5DV_QP_CREATE_OOO_DP
	}
	if flags != 0 && !c.isMlx5() {
		return 0
	}
	return flags
}

// createMlx5 creates an mlx5 QP with flags.
//
//	struct ibv_qp *mlx5dv_create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *qp_attr, struct mlx5dv_qp_init_attr *mlx5_qp_attr)
func (p *pd) createMlx5(in *C.struct_abi_qp_init_attr_ex, flags C.uint32_t) (c *C.struct_abi_qp, verb string, err error) {
	c, err = C.mlx5_create_qp(p.ctx.c, in, flags)
	return c, "mlx5dv_create_qp", err
}

// maxOutOfOrderRecvWR returns the largest number of receives of a QP with OutOfOrder. 0: the device has
// no such QPs.
//
//	int mlx5dv_query_device(struct ibv_context *context, struct mlx5dv_context *attrs_out)
func (c *context) maxOutOfOrderRecvWR() int {
	if !c.isMlx5() {
		return 0
	}
	return int(C.mlx5_ooo_receives(c.c))
}

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

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

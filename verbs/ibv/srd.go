//go:build linux

package ibv

/*
#cgo noescape efa_caps
#cgo noescape efa_create_srd
#cgo nocallback efa_load
#include "efa.h"
*/
import "C"

import (
	"sync"

	"github.com/ibperf/ibperf/verbs"
)

// hasEFA opens libefa, once. Without it there is no device of EFA.
var hasEFA = sync.OnceValue(func() bool { return C.efa_load() != 0 })

// createSRD creates an SRD QP with the operations of init, or all operations of the device. It
// enables ibv_wr_post, as post_send of libefa refuses WRITE and READ
// (efa_post_send_validate_wr in providers/efa).
//
//	struct ibv_qp *efadv_create_qp_ex(struct ibv_context *ibvctx, struct ibv_qp_init_attr_ex *attr_ex, struct efadv_qp_init_attr *efa_attr, uint32_t inlen)
func (p *pd) createSRD(init *verbs.QPInitAttr, in *C.struct_abi_qp_init_attr_ex) (c *C.struct_abi_qp, verb string, err error) {
	const create, query = "efadv_create_qp_ex", "efadv_query_device"
	if !hasEFA() {
		return nil, create, verbs.ErrNotSupported
	}
	var caps, longest C.uint32_t
	ret, err := C.efa_caps(p.ctx.c, &caps, &longest)
	if errno := errnoOf(ret, err); errno != 0 {
		return nil, query, errno
	}
	ops := verbs.SendOpSend | verbs.SendOpSendWithImm
	if caps&C.ABI_EFADV_DEVICE_ATTR_CAPS_RDMA_READ != 0 {
		ops |= verbs.SendOpRDMARead
	}
	if caps&C.ABI_EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE != 0 {
		ops |= verbs.SendOpRDMAWrite | verbs.SendOpRDMAWriteWithImm
	}
	if init.SendOps != 0 {
		if init.SendOps&^ops != 0 {
			return nil, query, verbs.ErrNotSupported
		}
		ops = init.SendOps
	}
	init.MaxRDMASize = int(longest)
	in.comp_mask |= C.ABI_QP_INIT_ATTR_SEND_OPS_FLAGS
	in.send_ops_flags = C.uint64_t(ops)
	c, err = C.efa_create_srd(p.ctx.c, in)
	return c, create, err
}

//go:build linux

package ibv

// #include "library.h"
import "C"

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

// RegDMABufMR registers memory of another device.
//
//	struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
func (p *pd) RegDMABufMR(offset uint64, length int, iova uint64, fd int, access verbs.Access) (verbs.MR, error) {
	object := fmt.Sprintf("%s, %d bytes from %d on of descriptor %d, %s", p.ctx.dev.name, length, offset, fd, access)
	if p.gone() {
		return nil, closed("reg_dmabuf_mr", object)
	}
	if length <= 0 {
		return nil, opError("reg_dmabuf_mr", object, syscall.EINVAL, "length must be at least 1")
	}
	m, err := C.ib_reg_dmabuf_mr(p.c, C.uint64_t(offset), C.size_t(length), C.uint64_t(iova), C.int(fd), C.int(access))
	if m == nil {
		return nil, opError("reg_dmabuf_mr", object, err, "it needs rdma-core 34 and a driver with dma-buf; "+registerHint(err))
	}
	return &mr{ctx: p.ctx, c: m, iova: iova, length: length, lkey: uint32(m.lkey), rkey: uint32(m.rkey)}, nil
}

// AdviseMR announces accesses to ranges of regions.
//
//	int ibv_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sge)
func (p *pd) AdviseMR(advice verbs.Advice, flush bool, sges []verbs.SGE) error {
	if p.gone() {
		return closed("advise_mr", p.ctx.dev.name)
	}
	var flags C.uint32_t
	if flush {
		flags = C.ABI_ADVISE_MR_FLAG_FLUSH
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	list := unsafe.SliceData(sges)
	if list != nil {
		pins.Pin(list)
	}
	ret, err := C.ib_advise_mr(p.ctx.c, p.c, C.uint32_t(advice), flags, (*C.struct_abi_sge)(unsafe.Pointer(list)), C.uint32_t(len(sges)))
	return check("advise_mr", p.ctx.dev.name, errnoOf(ret, err), func() string {
		return "the ranges must be in regions of this domain with ON_DEMAND"
	})
}

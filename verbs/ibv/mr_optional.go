//go:build linux

package ibv

// #include "library.h"
import "C"

import (
	"errors"
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

// The results of ibv_rereg_mr: enum ibv_rereg_mr_err_code.
const (
	reregErrDoForkOld       = -3 // the region was changed
	reregErrCmd             = -4
	reregErrCmdAndDoForkNew = -5
)

// Rereg changes the region.
//
//	int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access)
func (m *mr) Rereg(flags verbs.ReregFlags, to verbs.PD, buf []byte, access verbs.Access) error {
	object := fmt.Sprintf("%s, %d bytes at %#x", m.ctx.dev.name, m.length, m.iova)
	if m.c == nil || m.ctx.c == nil {
		return closed("rereg_mr", object)
	}
	var domain *C.struct_abi_pd
	if flags&verbs.ReregPD != 0 {
		p, ok := to.(*pd)
		if !ok || p.ctx != m.ctx || p.gone() {
			return opError("rereg_mr", object, syscall.EINVAL, "the domain must be of this context, and open")
		}
		domain = p.c
	}
	mem := unsafe.Pointer(unsafe.SliceData(buf))
	ret, err := C.ib_rereg_mr(m.c, C.int(flags), domain, mem, C.size_t(len(buf)), C.int(access))
	if ret != 0 && ret != reregErrDoForkOld {
		return reregError(object, int(ret), err)
	}
	if flags&verbs.ReregTranslation != 0 {
		m.iova, m.length = uint64(uintptr(mem)), len(buf)
	}
	m.lkey, m.rkey = uint32(m.c.lkey), uint32(m.c.rkey)
	return nil
}

// reregError returns the error of a failed call, with ErrMRUnusable if the region may have
// changed. A driver without the call has not changed it.
func reregError(object string, ret int, err error) error {
	out := opError("rereg_mr", object, err, registerHint(err))
	touched := ret == reregErrCmd || ret == reregErrCmdAndDoForkNew
	if touched && !errors.Is(err, verbs.ErrNotSupported) {
		return errors.Join(out, verbs.ErrMRUnusable)
	}
	return out
}

//go:build linux

package ibv

// #include "newer.h"
import "C"

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

type dmah struct {
	ctx *context
	c   *C.struct_abi_dmah
}

func (d *dmah) gone() bool { return d.c == nil || d.ctx.c == nil }

// AllocDMAH makes a DMA handle.
//
//	struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *context, struct ibv_dmah_init_attr *attr)
func (c *context) AllocDMAH(init *verbs.DMAHInitAttr) (verbs.DMAH, error) {
	object := fmt.Sprintf("%s, mask %#x, CPU %d, hint %d, memory %d", c.dev.name, uint32(init.Mask), init.CPU, init.Hint, init.Memory)
	if c.c == nil {
		return nil, closed("alloc_dmah", object)
	}
	in := C.struct_abi_dmah_init_attr{
		comp_mask: C.uint32_t(init.Mask), cpu_id: C.uint32_t(init.CPU), ph: C.uint8_t(init.Hint), tph_mem_type: C.uint8_t(init.Memory),
	}
	d, err := C.ib_alloc_dmah(c.c, &in)
	if d == nil {
		return nil, opError("alloc_dmah", object, knownCall(err), dmahHint(err))
	}
	return &dmah{c, d}, nil
}

// dmahHint returns why there is no handle, by Linux: uverbs_std_types_dmah.c in drivers/infiniband/core, mlx5_st_create
// and mlx5_st_alloc_index in drivers/net/ethernet/mellanox/mlx5/core/lib/st.c, pcie_tph_get_cpu_st in drivers/pci/tph.c.
func dmahHint(err error) string {
	switch {
	case errors.Is(knownCall(err), verbs.ErrNotSupported):
		return "it needs rdma-core 59, Linux 6.17, and a device and root port with TPH"
	case errors.Is(err, syscall.EPERM):
		return "the calling thread must be allowed to run on the CPU"
	case errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENODEV):
		return "hints are 0 to 3; for a CPU the host's firmware must know steering tags: the _DSM function \"query cache locality TPH features\" of ACPI"
	}
	return ""
}

// hintedHint returns why there is no region with a handle.
func hintedHint(err error) string {
	if errors.Is(knownCall(err), verbs.ErrNotSupported) {
		return "it needs rdma-core 59, Linux 6.17, and a driver whose regions take DMA handles"
	}
	return registerHint(err)
}

// Close frees the handle.
//
//	int ibv_dealloc_dmah(struct ibv_dmah *dmah)
func (d *dmah) Close() error {
	if d.gone() {
		return nil
	}
	ret, err := C.ib_dealloc_dmah(d.c)
	if err := check("dealloc_dmah", d.ctx.dev.name, errnoOf(ret, err), nil); err != nil {
		return err
	}
	d.c = nil
	return nil
}

// RegMRHinted registers a buffer with a DMA handle.
//
//	struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *mr_init_attr)
func (p *pd) RegMRHinted(buf []byte, access verbs.Access, hints verbs.DMAH) (verbs.MR, error) {
	d, ok := hints.(*dmah)
	switch {
	case p.gone():
		return nil, closed("reg_mr_ex", p.ctx.dev.name)
	case !ok || d.ctx != p.ctx || d.gone() || len(buf) == 0:
		return nil, opError("reg_mr_ex", p.ctx.dev.name, syscall.EINVAL, "the handle must be of this context, and open, and the buffer not empty")
	}
	addr := unsafe.Pointer(unsafe.SliceData(buf))
	in := C.struct_abi_mr_init_attr{
		length: C.size_t(len(buf)), access: C.int(access), comp_mask: C.ABI_REG_MR_MASK_IOVA | C.ABI_REG_MR_MASK_ADDR | C.ABI_REG_MR_MASK_DMAH,
		iova: C.uint64_t(uintptr(addr)), addr: addr, dmah: d.c,
	}
	m, err := C.ib_reg_mr_ex(p.c, &in)
	if m == nil {
		object := fmt.Sprintf("%s, %d bytes at %#x, %s, with a DMA handle", p.ctx.dev.name, len(buf), uintptr(addr), access)
		return nil, opError("reg_mr_ex", object, knownCall(err), hintedHint(err))
	}
	return &mr{ctx: p.ctx, c: m, iova: uint64(uintptr(addr)), length: len(buf), lkey: uint32(m.lkey), rkey: uint32(m.rkey)}, nil
}

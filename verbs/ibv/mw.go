//go:build linux

package ibv

/*
#cgo noescape ib_bind_mw
#include "library.h"
*/
import "C"

import (
	"syscall"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

type mw struct {
	ctx *context
	c   *C.struct_abi_mw
	typ verbs.MWType
}

func (w *mw) gone() bool { return w.c == nil || w.ctx.c == nil }

func (w *mw) object() string { return w.ctx.dev.name + " memory window" }

// AllocMW allocates a window.
//
//	struct ibv_mw *ibv_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
func (p *pd) AllocMW(t verbs.MWType) (verbs.MW, error) {
	if p.gone() {
		return nil, closed("alloc_mw", p.ctx.dev.name)
	}
	c, err := C.ib_alloc_mw(p.ctx.c, p.c, C.uint32_t(t))
	if c == nil {
		return nil, opError("alloc_mw", p.ctx.dev.name, err, "the device may lack windows of this type: see MEM_WINDOW in device_cap_flags of ib_caps")
	}
	return &mw{p.ctx, c, t}, nil
}

func (w *mw) RKey() uint32 {
	if w.gone() {
		return 0
	}
	return uint32(w.c.rkey)
}

func (w *mw) SetRKey(rkey uint32) {
	if !w.gone() {
		w.c.rkey = C.uint32_t(rkey)
	}
}

// Handle returns the struct ibv_mw * for work requests; 0 after Close.
func (w *mw) Handle() uint64 { return uint64(uintptr(unsafe.Pointer(w.c))) }

// Bind posts a bind of a window of type 1.
//
//	int ibv_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *mw_bind)
func (w *mw) Bind(to verbs.QP, bind *verbs.MWBind) error {
	by, ok := to.(*qp)
	if w.gone() || ok && by.gone() {
		return closed("bind_mw", w.object())
	}
	if !ok || by.ctx != w.ctx {
		return opError("bind_mw", w.object(), syscall.EINVAL, "the QP must be of this context")
	}
	in := C.struct_abi_mw_bind{wr_id: C.uint64_t(bind.WRID), send_flags: C.uint(bind.SendFlags)}
	info := &bind.Info
	in.info.addr, in.info.length, in.info.access = C.uint64_t(info.Addr), C.uint64_t(info.Length), C.uint(info.Access)
	of, ok := info.MR.(*mr) // the manual allows NULL with length 0, which librxe dereferences
	if !ok || of.c == nil || of.ctx != w.ctx {
		return opError("bind_mw", w.object(), syscall.EINVAL, "the region must be of this context, and open")
	}
	in.info.mr = of.c
	ret, err := C.ib_bind_mw(by.c, w.c, &in)
	return check("bind_mw", w.object(), errnoOf(ret, err), func() string {
		return "it needs a window of type 1, a region of its domain with MW_BIND, and a QP in RTS"
	})
}

// Close deallocates the window.
//
//	int ibv_dealloc_mw(struct ibv_mw *mw)
func (w *mw) Close() error {
	if w.gone() {
		return nil
	}
	ret, err := C.ib_dealloc_mw(w.c)
	if err := check("dealloc_mw", w.object(), errnoOf(ret, err), nil); err != nil {
		return err
	}
	w.c = nil
	return nil
}

// Handle returns the struct ibv_mr * for work requests; 0 after Close.
func (m *mr) Handle() uint64 { return uint64(uintptr(unsafe.Pointer(m.c))) }

//go:build linux

package ibv

/*
#cgo noescape ib_alloc_td
#cgo noescape ib_alloc_parent_domain
#include "library.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

type pd struct {
	ctx *context
	c   *C.struct_abi_pd
}

func (p *pd) gone() bool { return p.c == nil || p.ctx.c == nil }

// RegMR registers a buffer.
//
//	struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
func (p *pd) RegMR(buf []byte, access verbs.Access) (verbs.MR, error) {
	return p.register("reg_mr", buf, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(buf)))), access)
}

// RegMRIova registers a buffer with the addresses from iova on.
//
//	struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va, int access)
func (p *pd) RegMRIova(buf []byte, iova uint64, access verbs.Access) (verbs.MR, error) {
	return p.register("reg_mr_iova", buf, iova, access)
}

func (p *pd) register(verb string, buf []byte, iova uint64, access verbs.Access) (verbs.MR, error) {
	if p.gone() {
		return nil, closed(verb, p.ctx.dev.name)
	}
	if len(buf) == 0 {
		return nil, opError(verb, p.ctx.dev.name, syscall.EINVAL, "the buffer is empty")
	}
	m, err := C.ib_reg_mr_iova2(p.c, unsafe.Pointer(unsafe.SliceData(buf)), C.size_t(len(buf)), C.uint64_t(iova), C.uint(access))
	if m == nil {
		object := fmt.Sprintf("%s, %d bytes at %#x, %s", p.ctx.dev.name, len(buf), iova, access)
		return nil, opError(verb, object, err, registerHint(err))
	}
	return &mr{ctx: p.ctx, c: m, iova: iova, length: len(buf), lkey: uint32(m.lkey), rkey: uint32(m.rkey)}, nil
}

// Close frees the domain.
//
//	int ibv_dealloc_pd(struct ibv_pd *pd)
func (p *pd) Close() error {
	if p.gone() {
		return nil
	}
	ret, err := C.ib_dealloc_pd(p.c)
	if err := check("dealloc_pd", p.ctx.dev.name, errnoOf(ret, err), nil); err != nil {
		return err
	}
	p.c = nil
	return nil
}

type mr struct {
	ctx        *context
	c          *C.struct_abi_mr
	iova       uint64
	length     int
	lkey, rkey uint32
}

func (m *mr) Addr() uint64 { return m.iova }
func (m *mr) Len() int     { return m.length }
func (m *mr) LKey() uint32 { return m.lkey }
func (m *mr) RKey() uint32 { return m.rkey }

// Close deregisters the region.
//
//	int ibv_dereg_mr(struct ibv_mr *mr)
func (m *mr) Close() error {
	if m.c == nil || m.ctx.c == nil {
		return nil
	}
	ret, err := C.ib_dereg_mr(m.c)
	if err := check("dereg_mr", m.ctx.dev.name, errnoOf(ret, err), nil); err != nil {
		return err
	}
	m.c = nil
	return nil
}

type td struct {
	ctx *context
	c   *C.struct_abi_td
}

// AllocTD allocates a thread domain.
//
//	struct ibv_td *ibv_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *init_attr)
func (c *context) AllocTD() (verbs.TD, error) {
	if c.c == nil {
		return nil, closed("alloc_td", c.dev.name)
	}
	var in C.struct_abi_td_init_attr
	t, err := C.ib_alloc_td(c.c, &in)
	if t == nil {
		return nil, opError("alloc_td", c.dev.name, err, domainHint(err))
	}
	return &td{c, t}, nil
}

func domainHint(err error) string {
	if errors.Is(err, verbs.ErrNotSupported) {
		return "the device's driver has no thread domains"
	}
	return ""
}

// Close frees the domain.
//
//	int ibv_dealloc_td(struct ibv_td *td)
func (t *td) Close() error {
	if t.c == nil || t.ctx.c == nil {
		return nil
	}
	ret, err := C.ib_dealloc_td(t.c)
	if err := check("dealloc_td", t.ctx.dev.name, errnoOf(ret, err), func() string { return "does a parent domain use it?" }); err != nil {
		return err
	}
	t.c = nil
	return nil
}

// AllocParentDomain allocates a parent domain.
//
//	struct ibv_pd *ibv_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr)
func (c *context) AllocParentDomain(of verbs.PD, by verbs.TD) (verbs.PD, error) {
	if c.c == nil {
		return nil, closed("alloc_parent_domain", c.dev.name)
	}
	domain, ok := of.(*pd)
	if !ok || domain.ctx != c || domain.gone() {
		return nil, opError("alloc_parent_domain", c.dev.name, syscall.EINVAL, "the domain must be of this context, and open")
	}
	in := C.struct_abi_parent_domain_init_attr{pd: domain.c}
	if by != nil {
		t, ok := by.(*td)
		if !ok || t.ctx != c || t.c == nil {
			return nil, opError("alloc_parent_domain", c.dev.name, syscall.EINVAL, "the thread domain must be of this context, and open")
		}
		in.td = t.c
	}
	p, err := C.ib_alloc_parent_domain(c.c, &in)
	if p == nil {
		return nil, opError("alloc_parent_domain", c.dev.name, err, domainHint(err))
	}
	return &pd{ctx: c, c: p}, nil
}

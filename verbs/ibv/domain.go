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
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

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

//go:build linux

package ibv

/*
#cgo noescape ib_create_srq
#cgo noescape ib_create_srq_ex
#cgo noescape ib_modify_srq
#cgo noescape ib_query_srq
#cgo noescape ib_get_srq_num
#include "post_poll.h"
#include "library.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

type srq struct {
	ctx    *context
	c      *C.struct_abi_srq
	handle uint32 // of c, for String
}

func (s *srq) gone() bool { return s.c == nil || s.ctx.c == nil }

func (s *srq) object() string { return s.ctx.dev.name + " srq" }

func fromSRQAttr(a verbs.SRQAttr) C.struct_abi_srq_attr {
	return C.struct_abi_srq_attr{max_wr: C.uint32_t(a.MaxWR), max_sge: C.uint32_t(a.MaxSGE), srq_limit: C.uint32_t(a.Limit)}
}

func toSRQAttr(a *C.struct_abi_srq_attr) verbs.SRQAttr {
	return verbs.SRQAttr{MaxWR: int(a.max_wr), MaxSGE: int(a.max_sge), Limit: int(a.srq_limit)}
}

// CreateSRQ creates a shared receive queue, for XRC if init has a domain.
//
//	struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *srq_init_attr)
//	struct ibv_srq *ibv_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *srq_init_attr_ex)
func (p *pd) CreateSRQ(init *verbs.SRQInitAttr) (verbs.SRQ, error) {
	object := fmt.Sprintf("%s, %d receives of %d elements", p.ctx.dev.name, init.Attr.MaxWR, init.Attr.MaxSGE)
	if p.gone() {
		return nil, closed("create_srq", object)
	}
	if min(init.Attr.MaxWR, init.Attr.MaxSGE) < 0 {
		return nil, opError("create_srq", object, syscall.EINVAL, "an attribute is negative")
	}
	if init.XRCD != nil || init.CQ != nil {
		return p.createXRCSRQ(object, init)
	}
	in := C.struct_abi_srq_init_attr{attr: fromSRQAttr(verbs.SRQAttr{MaxWR: init.Attr.MaxWR, MaxSGE: init.Attr.MaxSGE})}
	c, err := C.ib_create_srq(p.c, &in)
	if c == nil {
		return nil, opError("create_srq", object, err, createHint(err))
	}
	init.Attr = toSRQAttr(&in.attr)
	return p.ctx.newSRQ(c), nil
}

func (p *pd) createXRCSRQ(object string, init *verbs.SRQInitAttr) (verbs.SRQ, error) {
	domain, ok1 := init.XRCD.(*xrcd)
	events, ok2 := init.CQ.(*cq)
	if !ok1 || !ok2 || domain.ctx != p.ctx || events.ctx != p.ctx || domain.gone() || events.gone() {
		return nil, opError("create_srq_ex", object, syscall.EINVAL, "an SRQ for XRC needs a domain and a CQ, both of this context, and open")
	}
	in := C.struct_abi_srq_init_attr_ex{
		attr: fromSRQAttr(verbs.SRQAttr{MaxWR: init.Attr.MaxWR, MaxSGE: init.Attr.MaxSGE}),
		comp_mask: C.ABI_SRQ_INIT_ATTR_TYPE | C.ABI_SRQ_INIT_ATTR_PD |
			C.ABI_SRQ_INIT_ATTR_XRCD | C.ABI_SRQ_INIT_ATTR_CQ,
		srq_type: C.ABI_SRQT_XRC, pd: p.c, xrcd: domain.c, cq: events.c,
	}
	c, err := C.ib_create_srq_ex(p.ctx.c, &in)
	if c == nil {
		return nil, opError("create_srq_ex", object, err, createHint(err))
	}
	init.Attr = toSRQAttr(&in.attr)
	return p.ctx.newSRQ(c), nil
}

func (c *context) newSRQ(cptr *C.struct_abi_srq) *srq {
	s := &srq{c, cptr, uint32(cptr.handle)}
	c.hold(unsafe.Pointer(cptr), s)
	return s
}

// Modify changes the capacity, or arms the limit.
//
//	int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr, int srq_attr_mask)
func (s *srq) Modify(attr verbs.SRQAttr, mask verbs.SRQAttrMask) error {
	if s.gone() {
		return closed("modify_srq", s.object())
	}
	if min(attr.MaxWR, attr.Limit) < 0 {
		return opError("modify_srq", s.object(), syscall.EINVAL, "an attribute is negative")
	}
	a := fromSRQAttr(attr)
	ret, err := C.ib_modify_srq(s.c, &a, C.int(mask))
	return check("modify_srq", s.object(), errnoOf(ret, err), func() string {
		return fmt.Sprintf("to %d receives, limit %d: is that above the device's limits, or the capacity below what is posted or the limit?", attr.MaxWR, attr.Limit)
	})
}

// Query returns the attributes.
//
//	int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr)
func (s *srq) Query() (verbs.SRQAttr, error) {
	if s.gone() {
		return verbs.SRQAttr{}, closed("query_srq", s.object())
	}
	var a C.struct_abi_srq_attr
	ret, err := C.ib_query_srq(s.c, &a)
	if err := check("query_srq", s.object(), errnoOf(ret, err), nil); err != nil {
		return verbs.SRQAttr{}, err
	}
	return toSRQAttr(&a), nil
}

// PostRecv posts a list, in one call into C.
//
//	int ibv_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *recv_wr, struct ibv_recv_wr **bad_recv_wr)
func (s *srq) PostRecv(wr *verbs.RecvWR) (*verbs.RecvWR, error) {
	if s.gone() {
		return wr, closed("post_srq_recv", s.object())
	}
	p := C.struct_post_srq_recv{srq: s.c, wr: (*C.struct_abi_recv_wr)(unsafe.Pointer(wr))}
	if !s.ctx.stacks.Call(C.fast_post_srq_recv, unsafe.Pointer(&p)) {
		var pins runtime.Pinner
		pinRecvs(&pins, wr)
		throughCgo(C.fast_post_srq_recv, unsafe.Pointer(&p), &pins)
	}
	if p.err != 0 {
		return (*verbs.RecvWR)(unsafe.Pointer(p.bad)), postError("post_srq_recv", s.object(), p.err, "the SRQ is full")
	}
	return nil, nil
}

// Num returns the number of the queue in requests of XRC peers.
//
//	int ibv_get_srq_num(struct ibv_srq *srq, uint32_t *srq_num)
func (s *srq) Num() (uint32, error) {
	if s.gone() {
		return 0, closed("get_srq_num", s.object())
	}
	var num C.uint32_t
	ret, err := C.ib_get_srq_num(s.c, &num)
	return uint32(num), check("get_srq_num", s.object(), errnoOf(ret, err), nil)
}

// Close destroys the queue, once all its events are acknowledged.
//
//	int ibv_destroy_srq(struct ibv_srq *srq)
func (s *srq) Close() error {
	if s.gone() {
		return nil
	}
	ret, err := C.ib_destroy_srq(s.c)
	if err := check("destroy_srq", s.object(), errnoOf(ret, err), func() string { return "does a QP use it?" }); err != nil {
		return err
	}
	s.ctx.drop(unsafe.Pointer(s.c), s)
	s.c = nil
	return nil
}

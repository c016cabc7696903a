//go:build linux

package ibv

/*
#cgo noescape ib_create_ah
#cgo noescape ib_create_ah_from_wc
#cgo noescape ib_init_ah_from_wc
#cgo noescape ib_attach_mcast
#cgo noescape ib_detach_mcast
#include "library.h"
*/
import "C"

import (
	"fmt"
	"syscall"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

type ah struct {
	ctx *context
	c   *C.struct_abi_ah
	to  string // destination, for String
}

// CreateAH creates an address handle.
//
//	struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
func (p *pd) CreateAH(attr *verbs.AHAttr) (verbs.AH, error) {
	if p.gone() {
		return nil, closed("create_ah", p.ctx.dev.name)
	}
	a := fromAHAttr(attr)
	c, err := C.ib_create_ah(p.c, &a)
	if c == nil {
		return nil, opError("create_ah", p.ctx.dev.name, err, pathHint(attr))
	}
	to := fmt.Sprintf("LID %#x", attr.DLID)
	if attr.IsGlobal {
		to = attr.GRH.DGID.String()
	}
	return &ah{p.ctx, c, to}, nil
}

// pathHint returns the usual cause of a refused path.
func pathHint(attr *verbs.AHAttr) string {
	if !attr.IsGlobal {
		return fmt.Sprintf("to LID %#x without a GRH, which RoCE needs", attr.DLID)
	}
	return fmt.Sprintf("is the peer %s reachable from GID index %d of port %d?", attr.GRH.DGID, attr.GRH.SGIDIndex, attr.PortNum)
}

// sender holds copies of the completion and the GRH of a message, which can be passed to C.
type sender struct {
	wc  C.struct_abi_wc
	grh C.struct_abi_grh
}

func (c *context) sender(verb string, wc *verbs.WC, grh []byte, port int) (s sender, err error) {
	object := fmt.Sprintf("%s port %d", c.dev.name, port)
	if c.c == nil {
		return s, closed(verb, object)
	}
	if port < 1 || port > 255 {
		return s, opError(verb, object, syscall.EINVAL, "ports are numbered from 1")
	}
	s.wc = *(*C.struct_abi_wc)(unsafe.Pointer(wc))
	if wc.Flags&verbs.WCGRH == 0 {
		return s, nil
	}
	if len(grh) < verbs.GRHSize {
		return s, opError(verb, object, syscall.EINVAL, fmt.Sprintf("the GRH has %d bytes, not %d", verbs.GRHSize, len(grh)))
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&s.grh)), verbs.GRHSize), grh)
	return s, nil
}

// InitAHFromWC returns the address of the sender of a UD message.
//
//	int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port_num, struct ibv_wc *wc, struct ibv_grh *grh, struct ibv_ah_attr *ah_attr)
func (c *context) InitAHFromWC(port int, wc *verbs.WC, grh []byte) (verbs.AHAttr, error) {
	s, err := c.sender("init_ah_from_wc", wc, grh, port)
	if err != nil {
		return verbs.AHAttr{}, err
	}
	var a C.struct_abi_ah_attr
	ret, err := C.ib_init_ah_from_wc(c.c, C.uint8_t(port), &s.wc, &s.grh, &a)
	if err := check("init_ah_from_wc", c.dev.name, errnoOf(ret, err), fromWCHint); err != nil {
		return verbs.AHAttr{}, err
	}
	return toAHAttr(&a), nil
}

func fromWCHint() string {
	return "the GRH must be that of a message to a GID of the port, not to a multicast group"
}

// CreateAHFromWC creates an address handle to the sender of a UD message.
//
//	struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port_num)
func (p *pd) CreateAHFromWC(wc *verbs.WC, grh []byte, port int) (verbs.AH, error) {
	if p.gone() {
		return nil, closed("create_ah_from_wc", p.ctx.dev.name)
	}
	s, err := p.ctx.sender("create_ah_from_wc", wc, grh, port)
	if err != nil {
		return nil, err
	}
	c, err := C.ib_create_ah_from_wc(p.c, &s.wc, &s.grh, C.uint8_t(port))
	if c == nil {
		return nil, opError("create_ah_from_wc", p.ctx.dev.name, err, fromWCHint())
	}
	return &ah{p.ctx, c, "the sender of a message"}, nil
}

// Handle returns the struct ibv_ah * for work requests; 0 after Close.
func (a *ah) Handle() uint64 { return uint64(uintptr(unsafe.Pointer(a.c))) }

// Close destroys the handle.
//
//	int ibv_destroy_ah(struct ibv_ah *ah)
func (a *ah) Close() error {
	if a.c == nil || a.ctx.c == nil {
		return nil
	}
	ret, err := C.ib_destroy_ah(a.c)
	if err := check("destroy_ah", a.ctx.dev.name, errnoOf(ret, err), nil); err != nil {
		return err
	}
	a.c = nil
	return nil
}

// AttachMcast makes the QP receive the messages of a multicast group.
//
//	int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
func (q *qp) AttachMcast(gid verbs.GID, lid uint16) error {
	if q.gone() {
		return closed("attach_mcast", q.object())
	}
	g := C.union_abi_gid(gid)
	ret, err := C.ib_attach_mcast(q.c, &g, C.uint16_t(lid))
	return check("attach_mcast", q.object(), errnoOf(ret, err), func() string {
		return fmt.Sprintf("to %s: a UD QP and the GID of a multicast group are needed", gid)
	})
}

// DetachMcast undoes AttachMcast.
//
//	int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
func (q *qp) DetachMcast(gid verbs.GID, lid uint16) error {
	if q.gone() {
		return closed("detach_mcast", q.object())
	}
	g := C.union_abi_gid(gid)
	ret, err := C.ib_detach_mcast(q.c, &g, C.uint16_t(lid))
	return check("detach_mcast", q.object(), errnoOf(ret, err), func() string {
		return fmt.Sprintf("from %s: the QP must be attached to the group", gid)
	})
}

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
}

// CreateAH creates an address handle.
//
//	struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
func (p *pd) CreateAH(attr *verbs.AHAttr) (verbs.AH, error) {
	a := fromAHAttr(attr)
	c, err := C.ib_create_ah(p.c, &a)
	if c == nil {
		return nil, opError("create_ah", p.ctx.dev.name, err, pathHint(attr))
	}
	return &ah{ctx: p.ctx, c: c}, nil
}

// pathHint says what the usual cause of a refused path is.
func pathHint(attr *verbs.AHAttr) string {
	if !attr.IsGlobal {
		return fmt.Sprintf("to LID %#x without a GRH, which RoCE needs", attr.DLID)
	}
	return fmt.Sprintf("is the peer %s reachable from GID index %d of port %d?", attr.GRH.DGID, attr.GRH.SGIDIndex, attr.PortNum)
}

// sender is what tells where a message came from, in copies that C may be handed.
type sender struct {
	wc  C.struct_abi_wc
	grh C.struct_abi_grh
}

func (c *context) sender(verb string, wc *verbs.WC, grh []byte, port int) (s sender, err error) {
	object := fmt.Sprintf("%s port %d", c.dev.name, port)
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

// InitAHFromWC returns the way back to the sender of a UD message.
//
//	int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port_num, struct ibv_wc *wc, struct ibv_grh *grh, struct ibv_ah_attr *ah_attr)
func (c *context) InitAHFromWC(port int, wc *verbs.WC, grh []byte) (verbs.AHAttr, error) {
	s, err := c.sender("init_ah_from_wc", wc, grh, port)
	if err != nil {
		return verbs.AHAttr{}, err
	}
	var a C.struct_abi_ah_attr
	if ret, err := C.ib_init_ah_from_wc(c.c, C.uint8_t(port), &s.wc, &s.grh, &a); ret != 0 {
		return verbs.AHAttr{}, opError("init_ah_from_wc", c.dev.name, err, fromWCHint)
	}
	return toAHAttr(&a), nil
}

const fromWCHint = "the GRH must be that of a message to a GID of the port, not to a multicast group"

// CreateAHFromWC creates an address handle to the sender of a UD message.
//
//	struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port_num)
func (p *pd) CreateAHFromWC(wc *verbs.WC, grh []byte, port int) (verbs.AH, error) {
	s, err := p.ctx.sender("create_ah_from_wc", wc, grh, port)
	if err != nil {
		return nil, err
	}
	c, err := C.ib_create_ah_from_wc(p.c, &s.wc, &s.grh, C.uint8_t(port))
	if c == nil {
		return nil, opError("create_ah_from_wc", p.ctx.dev.name, err, fromWCHint)
	}
	return &ah{ctx: p.ctx, c: c}, nil
}

// Handle is the struct ibv_ah *, which work requests hold.
func (a *ah) Handle() uint64 { return uint64(uintptr(unsafe.Pointer(a.c))) }

// Close destroys the handle.
//
//	int ibv_destroy_ah(struct ibv_ah *ah)
func (a *ah) Close() error {
	if a.c == nil {
		return nil
	}
	err := check("destroy_ah", a.ctx.dev.name, C.ib_destroy_ah(a.c), nil)
	if err == nil {
		a.c = nil
	}
	return err
}

// AttachMcast makes the QP receive what is sent to a multicast group.
//
//	int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
func (q *qp) AttachMcast(gid verbs.GID, lid uint16) error {
	g := C.union_abi_gid(gid)
	return check("attach_mcast", q.object(), C.ib_attach_mcast(q.c, &g, C.uint16_t(lid)), func() string {
		return fmt.Sprintf("to %s: a UD QP and the GID of a multicast group are needed", gid)
	})
}

// DetachMcast undoes AttachMcast.
//
//	int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
func (q *qp) DetachMcast(gid verbs.GID, lid uint16) error {
	g := C.union_abi_gid(gid)
	return check("detach_mcast", q.object(), C.ib_detach_mcast(q.c, &g, C.uint16_t(lid)), func() string {
		return fmt.Sprintf("from %s: it must be attached", gid)
	})
}

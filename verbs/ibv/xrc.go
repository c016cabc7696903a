//go:build linux

package ibv

/*
#cgo noescape ib_open_xrcd
#cgo noescape ib_open_qp
#include "library.h"
*/
import "C"

import (
	"fmt"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

type xrcd struct {
	ctx *context
	c   *C.struct_abi_xrcd
}

func (x *xrcd) gone() bool { return x.c == nil || x.ctx.c == nil }

// OpenXRCD opens an XRC domain.
//
//	struct ibv_xrcd *ibv_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *xrcd_init_attr)
func (c *context) OpenXRCD(fd, oflags int) (verbs.XRCD, error) {
	if c.c == nil {
		return nil, closed("open_xrcd", c.dev.name)
	}
	in := C.struct_abi_xrcd_init_attr{
		comp_mask: C.ABI_XRCD_INIT_ATTR_FD | C.ABI_XRCD_INIT_ATTR_OFLAGS, fd: C.int(fd), oflags: C.int(oflags),
	}
	x, err := C.ib_open_xrcd(c.c, &in)
	if x == nil {
		return nil, opError("open_xrcd", c.dev.name, err, xrcdHint(err, fd))
	}
	return &xrcd{ctx: c, c: x}, nil
}

func xrcdHint(err error, fd int) string {
	switch err {
	case verbs.ErrNotSupported:
		return "the device has no XRC"
	case syscall.EAGAIN:
		return fmt.Sprintf("the file of descriptor %d has no domain yet: open it with O_CREAT", fd)
	}
	return ""
}

// CreateRecvQP creates a QP of type XRC_RECV.
//
//	struct ibv_qp *ibv_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *qp_init_attr_ex)
func (x *xrcd) CreateRecvQP() (verbs.QP, error) {
	if x.gone() {
		return nil, closed("create_qp_ex", x.ctx.dev.name)
	}
	in := C.struct_abi_qp_init_attr_ex{
		qp_type: C.uint32_t(verbs.QPTypeXRCRecv), comp_mask: C.ABI_QP_INIT_ATTR_XRCD, xrcd: x.c,
	}
	c, err := C.ib_create_qp_ex(x.ctx.c, &in)
	if c == nil {
		return nil, opError("create_qp_ex", x.ctx.dev.name+", "+verbs.QPTypeXRCRecv.String(), err, createHint(err))
	}
	return x.recvQP(c), nil
}

// OpenQP returns a further handle of an XRC_RECV QP.
//
//	struct ibv_qp *ibv_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *qp_open_attr)
func (x *xrcd) OpenQP(num uint32) (verbs.QP, error) {
	object := fmt.Sprintf("%s qp %#x", x.ctx.dev.name, num)
	if x.gone() {
		return nil, closed("open_qp", object)
	}
	in := C.struct_abi_qp_open_attr{
		comp_mask: C.ABI_QP_OPEN_ATTR_NUM | C.ABI_QP_OPEN_ATTR_XRCD | C.ABI_QP_OPEN_ATTR_TYPE,
		qp_num:    C.uint32_t(num), xrcd: x.c, qp_type: C.uint32_t(verbs.QPTypeXRCRecv),
	}
	c, err := C.ib_open_qp(x.ctx.c, &in)
	if c == nil {
		return nil, opError("open_qp", object, err, "the number must be of an XRC_RECV QP of this domain")
	}
	return x.recvQP(c), nil
}

func (x *xrcd) recvQP(c *C.struct_abi_qp) *qp {
	return x.ctx.newQP(c, verbs.QPInitAttr{Type: verbs.QPTypeXRCRecv})
}

// Close closes the domain.
//
//	int ibv_close_xrcd(struct ibv_xrcd *xrcd)
func (x *xrcd) Close() error {
	if x.gone() {
		return nil
	}
	ret, err := C.ib_close_xrcd(x.c)
	if err := check("close_xrcd", x.ctx.dev.name, errnoOf(ret, err), nil); err != nil {
		return err
	}
	x.c = nil
	return nil
}

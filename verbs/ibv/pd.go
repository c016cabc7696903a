//go:build linux

package ibv

/*
#cgo noescape ib_create_qp
#include "library.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

type pd struct {
	ctx *context
	c   *C.struct_abi_pd
}

// RegMR registers a buffer.
//
//	struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
func (p *pd) RegMR(buf []byte, access verbs.Access) (verbs.MR, error) {
	if len(buf) == 0 {
		return nil, opError("reg_mr", p.ctx.dev.name, syscall.EINVAL, "the buffer is empty")
	}
	addr := unsafe.Pointer(unsafe.SliceData(buf))
	m, err := C.ib_reg_mr_iova2(p.c, addr, C.size_t(len(buf)), C.uint64_t(uintptr(addr)), C.uint(access))
	if m == nil {
		object := fmt.Sprintf("%s, %d bytes, %s", p.ctx.dev.name, len(buf), access)
		return nil, opError("reg_mr", object, err, regHint(err))
	}
	return &mr{ctx: p.ctx, c: m}, nil
}

// regHint explains the errors that the limit of locked memory causes.
func regHint(err error) string {
	var limit unix.Rlimit
	if !errors.Is(err, syscall.ENOMEM) && !errors.Is(err, syscall.EPERM) {
		return ""
	}
	if unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit) != nil || limit.Cur == unix.RLIM_INFINITY {
		return "the device or the host lacks memory to pin"
	}
	return fmt.Sprintf("registered memory is locked, and this process may lock %d KiB: raise ulimit -l, or memlock in /etc/security/limits.conf", limit.Cur>>10)
}

// CreateQP creates a QP in state RESET.
//
//	struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)
func (p *pd) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	send, ok1 := init.SendCQ.(*cq)
	recv, ok2 := init.RecvCQ.(*cq)
	if !ok1 || !ok2 || send.ctx != p.ctx || recv.ctx != p.ctx {
		return nil, opError("create_qp", p.ctx.dev.name, syscall.EINVAL, "both CQs must be of this context")
	}
	if c := init.Cap; min(c.MaxSendWR, c.MaxRecvWR, c.MaxSendSGE, c.MaxRecvSGE, c.MaxInlineData) < 0 {
		return nil, opError("create_qp", p.ctx.dev.name, syscall.EINVAL, "a capability is negative")
	}
	in := C.struct_abi_qp_init_attr{
		send_cq: send.c, recv_cq: recv.c, cap: fromCap(init.Cap), qp_type: C.uint32_t(init.Type),
	}
	if init.SigAll {
		in.sq_sig_all = 1
	}
	c, err := C.ib_create_qp(p.c, &in)
	if c == nil {
		return nil, opError("create_qp", p.ctx.dev.name, err, "the device's limits: ib_caps")
	}
	init.Cap, init.QPNumber = toCap(in.cap), uint32(c.qp_num)
	q := &qp{ctx: p.ctx, c: c, init: *init}
	p.ctx.hold(unsafe.Pointer(c), q)
	return q, nil
}

// Close frees the domain.
//
//	int ibv_dealloc_pd(struct ibv_pd *pd)
func (p *pd) Close() error {
	if p.c == nil {
		return nil
	}
	err := check("dealloc_pd", p.ctx.dev.name, C.ib_dealloc_pd(p.c), nil)
	if err == nil {
		p.c = nil
	}
	return err
}

type mr struct {
	ctx *context
	c   *C.struct_abi_mr
}

func (m *mr) Addr() uint64 { return uint64(uintptr(m.c.addr)) }
func (m *mr) Len() int     { return int(m.c.length) }
func (m *mr) LKey() uint32 { return uint32(m.c.lkey) }
func (m *mr) RKey() uint32 { return uint32(m.c.rkey) }

// Close deregisters the region.
//
//	int ibv_dereg_mr(struct ibv_mr *mr)
func (m *mr) Close() error {
	if m.c == nil {
		return nil
	}
	err := check("dereg_mr", m.ctx.dev.name, C.ib_dereg_mr(m.c), nil)
	if err == nil {
		m.c = nil
	}
	return err
}

//go:build linux

package ibv

// #include "library.h"
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
	return p.register("reg_mr", buf, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(buf)))), access)
}

// RegMRIova registers a buffer under addresses of its own.
//
//	struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va, int access)
func (p *pd) RegMRIova(buf []byte, iova uint64, access verbs.Access) (verbs.MR, error) {
	return p.register("reg_mr_iova", buf, iova, access)
}

func (p *pd) register(verb string, buf []byte, iova uint64, access verbs.Access) (verbs.MR, error) {
	if len(buf) == 0 {
		return nil, opError(verb, p.ctx.dev.name, syscall.EINVAL, "the buffer is empty")
	}
	m, err := C.ib_reg_mr_iova2(p.c, unsafe.Pointer(unsafe.SliceData(buf)), C.size_t(len(buf)), C.uint64_t(iova), C.uint(access))
	if m == nil {
		object := fmt.Sprintf("%s, %d bytes at %#x, %s", p.ctx.dev.name, len(buf), iova, access)
		return nil, opError(verb, object, err, regHint(err))
	}
	return &mr{ctx: p.ctx, c: m, iova: iova}, nil
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
	ctx  *context
	c    *C.struct_abi_mr
	iova uint64
}

func (m *mr) Addr() uint64 { return m.iova }
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

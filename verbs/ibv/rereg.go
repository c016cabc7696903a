//go:build linux

package ibv

// #include "library.h"
import "C"

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

// The results of ibv_rereg_mr: enum ibv_rereg_mr_err_code.
const (
	reregErrDoForkOld       = -3 // the region was changed
	reregErrCmd             = -4
	reregErrCmdAndDoForkNew = -5
)

// Rereg changes the region.
//
//	int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access)
func (m *mr) Rereg(flags verbs.ReregFlags, to verbs.PD, buf []byte, access verbs.Access) error {
	object := fmt.Sprintf("%s, %d bytes at %#x", m.ctx.dev.name, m.length, m.iova)
	if m.c == nil || m.ctx.c == nil {
		return closed("rereg_mr", object)
	}
	var domain *C.struct_abi_pd
	if flags&verbs.ReregPD != 0 {
		p, ok := to.(*pd)
		if !ok || p.ctx != m.ctx || p.gone() {
			return opError("rereg_mr", object, syscall.EINVAL, "the domain must be of this context, and open")
		}
		domain = p.c
	}
	mem := unsafe.Pointer(unsafe.SliceData(buf))
	ret, err := C.ib_rereg_mr(m.c, C.int(flags), domain, mem, C.size_t(len(buf)), C.int(access))
	if ret != 0 && ret != reregErrDoForkOld {
		return reregError(object, int(ret), err)
	}
	if flags&verbs.ReregTranslation != 0 {
		m.iova, m.length = uint64(uintptr(mem)), len(buf)
	}
	m.lkey, m.rkey = uint32(m.c.lkey), uint32(m.c.rkey)
	return nil
}

// reregError returns the error of a failed call, with ErrMRUnusable if the region may have
// changed. A driver without the call has not changed it.
func reregError(object string, ret int, err error) error {
	out := opError("rereg_mr", object, err, registerHint(err))
	touched := ret == reregErrCmd || ret == reregErrCmdAndDoForkNew
	if touched && !errors.Is(err, verbs.ErrNotSupported) {
		return errors.Join(out, verbs.ErrMRUnusable)
	}
	return out
}

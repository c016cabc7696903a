//go:build linux

package ibv

/*
#include "newer.h"
#include "post_poll.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

type compCounter struct {
	ctx  *context
	c    *C.struct_abi_comp_cntr
	read *[0]byte // ibv_read_comp_cntr
}

func (k *compCounter) gone() bool { return k.c == nil || k.ctx.c == nil }

// sinceCompCounters is the first rdma-core with completion counters.
const sinceCompCounters = 65

// QueryCompCounterCaps returns what completion counters can do.
//
//	int ibv_query_comp_cntr_caps(struct ibv_context *context, struct ibv_comp_cntr_caps *caps)
func (c *context) QueryCompCounterCaps() (verbs.CompCounterCaps, error) {
	if c.c == nil {
		return verbs.CompCounterCaps{}, closed("query_comp_cntr_caps", c.dev.name)
	}
	var caps C.struct_abi_comp_cntr_caps
	ret, err := C.ib_query_comp_cntr_caps(c.c, &caps)
	errno := newerErrno(ret, err)
	out := verbs.CompCounterCaps{MaxValue: uint64(caps.max_value), Max: int(caps.max_counters), Ops: verbs.CountedOps(caps.supported_qp_attach_ops)}
	return out, check("query_comp_cntr_caps", c.dev.name, errno, func() string { return newerHint(errno, sinceCompCounters) })
}

// CreateCompCounter makes a completion counter.
//
//	struct ibv_comp_cntr *ibv_create_comp_cntr(struct ibv_context *context, struct ibv_comp_cntr_init_attr *cc_attr)
func (c *context) CreateCompCounter() (verbs.CompCounter, error) {
	if c.c == nil {
		return nil, closed("create_comp_cntr", c.dev.name)
	}
	var in C.struct_abi_comp_cntr_init_attr
	k, err := C.ib_create_comp_cntr(c.c, &in)
	if k == nil {
		return nil, opError("create_comp_cntr", c.dev.name, knownCall(err), newerHint(knownCall(err), sinceCompCounters))
	}
	return &compCounter{c, k, C.ib_reader_of_comp_cntr()}, nil
}

// Read returns the number of completed operations.
//
//	int ibv_read_comp_cntr(struct ibv_comp_cntr *comp_cntr, uint64_t *value)
func (k *compCounter) Read() (uint64, error) { return k.ReadSpin(0, 1) }

// ReadSpin reads the counter up to max times in one call into C.
//
//	int ibv_read_comp_cntr(struct ibv_comp_cntr *comp_cntr, uint64_t *value)
func (k *compCounter) ReadSpin(old uint64, max int) (uint64, error) {
	if k.gone() {
		return old, closed("read_comp_cntr", k.ctx.dev.name)
	}
	p := C.struct_read_comp_cntr{counter: k.c, read: k.read, old: C.uint64_t(old), value: C.uint64_t(old), max: C.int(max)}
	if !k.ctx.stacks.Call(C.fast_read_comp_cntr, unsafe.Pointer(&p)) {
		var pins runtime.Pinner
		throughCgo(C.fast_read_comp_cntr, unsafe.Pointer(&p), &pins)
	}
	if p.err != 0 {
		return old, check("read_comp_cntr", k.ctx.dev.name, syscall.Errno(p.err), nil)
	}
	return uint64(p.value), nil
}

// Close destroys the counter.
//
//	int ibv_destroy_comp_cntr(struct ibv_comp_cntr *comp_cntr)
func (k *compCounter) Close() error {
	if k.gone() {
		return nil
	}
	ret, err := C.ib_destroy_comp_cntr(k.c)
	if err := check("destroy_comp_cntr", k.ctx.dev.name, errnoOf(ret, err), func() string { return "is a QP open that has it?" }); err != nil {
		return err
	}
	k.c = nil
	return nil
}

// AttachCompCounter makes a counter count operations of the QP.
//
//	int ibv_qp_attach_comp_cntr(struct ibv_qp *qp, struct ibv_comp_cntr *comp_cntr, struct ibv_qp_attach_comp_cntr_attr *attr)
func (q *qp) AttachCompCounter(counter verbs.CompCounter, ops verbs.CountedOps) error {
	k, ok := counter.(*compCounter)
	object := fmt.Sprintf("%s, operations %#x", q.object(), uint32(ops))
	switch {
	case q.gone():
		return closed("qp_attach_comp_cntr", object)
	case !ok || k.ctx != q.ctx || k.gone():
		return opError("qp_attach_comp_cntr", object, syscall.EINVAL, "the counter must be of this context, and open")
	}
	in := C.struct_abi_qp_attach_comp_cntr_attr{op_mask: C.uint32_t(ops)}
	ret, err := C.ib_qp_attach_comp_cntr(q.c, k.c, &in)
	errno := newerErrno(ret, err)
	return check("qp_attach_comp_cntr", object, errno, func() string {
		if errno == syscall.EINVAL {
			return "the QP must be in RESET or INIT"
		}
		return newerHint(errno, sinceCompCounters)
	})
}

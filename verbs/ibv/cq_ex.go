//go:build linux

package ibv

/*
#cgo noescape ib_create_cq_ex
#cgo noescape ib_modify_cq
#include "post_poll.h"
#include "library.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

// CreateCQEx creates an extended CQ.
//
//	struct ibv_cq_ex *ibv_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *cq_attr)
func (c *context) CreateCQEx(init *verbs.CQInitAttrEx) (verbs.CQEx, error) {
	object := fmt.Sprintf("%s, %d entries, vector %d, timestamps %#x", c.dev.name, init.CQE, init.CompVector, uint64(init.Timestamps))
	if c.c == nil {
		return nil, closed("create_cq_ex", object)
	}
	events, ok := c.twinOf(init.Channel)
	if !ok {
		return nil, opError("create_cq_ex", object, syscall.EINVAL, foreignChannel)
	}
	switch init.Timestamps {
	case verbs.TimestampNone, verbs.TimestampTicks, verbs.TimestampWallClock:
	default:
		return nil, opError("create_cq_ex", object, syscall.EINVAL, "unknown kind of timestamps")
	}
	if init.CQE < 1 || init.CompVector < 0 {
		return nil, opError("create_cq_ex", object, syscall.EINVAL, "a number is negative, or cqe is 0")
	}
	in := C.struct_abi_cq_init_attr_ex{
		cqe: C.uint32_t(init.CQE), channel: events, comp_vector: C.uint32_t(init.CompVector),
		wc_flags: C.ABI_WC_STANDARD_FLAGS | C.uint64_t(init.Timestamps),
	}
	if init.SingleThreaded {
		in.comp_mask, in.flags = C.ABI_CQ_INIT_ATTR_MASK_FLAGS, C.ABI_CREATE_CQ_ATTR_SINGLE_THREADED
	}
	ex, err := C.ib_create_cq_ex(c.c, &in)
	if ex == nil {
		return nil, opError("create_cq_ex", object, err, createCQExHint(err))
	}
	return c.newCQ(&cq{ctx: c, c: &ex.cq, ex: ex, how: init.Timestamps}), nil
}

func createCQExHint(err error) string {
	if errors.Is(err, verbs.ErrNotSupported) {
		return "the device lacks extended CQs or this kind of timestamps: see completion_timestamp_mask of ib_caps"
	}
	return createHint(err)
}

// PollTimes polls with timestamps.
//
//	int ibv_start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
//	int ibv_next_poll(struct ibv_cq_ex *cq)
//	void ibv_end_poll(struct ibv_cq_ex *cq)
func (q *cq) PollTimes(wc []verbs.WC, times []uint64, max int) (int, error) {
	switch {
	case q.gone():
		return 0, closed("start_poll", q.ctx.dev.name)
	case q.ex == nil || q.how == verbs.TimestampNone || len(times) < len(wc):
		return 0, opError("start_poll", q.ctx.dev.name, syscall.EINVAL, "the CQ has no timestamps, or times is shorter than wc")
	case len(wc) == 0:
		return 0, nil
	}
	return q.pollEx(wc, times, max)
}

// pollEx polls an extended CQ, in one call into C.
func (q *cq) pollEx(wc []verbs.WC, times []uint64, max int) (int, error) {
	p := C.struct_poll_cq_ex{
		cq: q.ex, wc: (*C.struct_abi_wc)(unsafe.Pointer(unsafe.SliceData(wc))), n: C.int(len(wc)), max: C.int(max),
		times: (*C.uint64_t)(unsafe.Pointer(unsafe.SliceData(times))), kind: C.uint64_t(q.how),
	}
	if !q.ctx.stacks.Call(C.fast_poll_cq_ex, unsafe.Pointer(&p)) {
		var pins runtime.Pinner
		pins.Pin(p.wc)
		if p.times != nil {
			pins.Pin(p.times)
		}
		throughCgo(C.fast_poll_cq_ex, unsafe.Pointer(&p), &pins)
	}
	return q.polledEx(p.got)
}

// polledEx is polled for an extended CQ.
func (q *cq) polledEx(got C.int) (int, error) {
	if got < 0 {
		return 0, opError("start_poll", q.ctx.dev.name, syscall.Errno(-got), "the queue has overrun, or the device failed")
	}
	return int(got), nil
}

// Moderate sets the event moderation.
//
//	int ibv_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
func (q *cq) Moderate(count, periodUs uint16) error {
	if q.gone() {
		return closed("modify_cq", q.ctx.dev.name)
	}
	a := C.struct_abi_modify_cq_attr{attr_mask: C.ABI_CQ_ATTR_MODERATE, count: C.uint16_t(count), period_us: C.uint16_t(periodUs)}
	ret, err := C.ib_modify_cq(q.c, &a)
	return check("modify_cq", q.ctx.dev.name, errnoOf(ret, err), func() string {
		return fmt.Sprintf("count %d, period %d us: see max_cq_count and max_cq_period of ib_caps", count, periodUs)
	})
}

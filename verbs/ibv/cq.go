//go:build linux

package ibv

/*
#cgo noescape fast_req_notify
#cgo nocallback fast_req_notify
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

type cq struct {
	ctx *context
	c   *C.struct_abi_cq
	ex  *C.struct_abi_cq_ex // c as an extended CQ, or nil
	how verbs.Timestamps    // of ex

	handle uint32 // of c, for String
}

// CreateCQ creates a completion queue.
//
//	struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int comp_vector)
func (c *context) CreateCQ(cqe int, channel verbs.CompChannel, compVector int) (verbs.CQ, error) {
	object := fmt.Sprintf("%s, %d entries, vector %d", c.dev.name, cqe, compVector)
	if c.c == nil {
		return nil, closed("create_cq", object)
	}
	events, ok := c.twinOf(channel)
	if !ok {
		return nil, opError("create_cq", object, syscall.EINVAL, foreignChannel)
	}
	q, err := C.ib_create_cq(c.c, C.int(cqe), nil, events, C.int(compVector))
	if q == nil {
		return nil, opError("create_cq", object, err, createHint(err))
	}
	return c.newCQ(&cq{ctx: c, c: q}), nil
}

const foreignChannel = "the completion channel must be of this context, and open"

// twinOf returns the C pointer of a channel, which may be nil. It returns false for a channel
// that is closed or of another context.
func (c *context) twinOf(channel verbs.CompChannel) (*C.struct_abi_comp_channel, bool) {
	if channel == nil {
		return nil, true
	}
	ch, ok := channel.(*compChannel)
	if !ok || ch.ctx != c || ch.gone() {
		return nil, false
	}
	return ch.c, true
}

func (c *context) newCQ(q *cq) *cq {
	q.handle = uint32(q.c.handle)
	c.hold(unsafe.Pointer(q.c), q)
	return q
}

func (q *cq) gone() bool { return q.c == nil || q.ctx.c == nil }

// Poll moves queued completions into wc.
//
//	int ibv_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
func (q *cq) Poll(wc []verbs.WC) (int, error) { return q.PollSpin(wc, 1) }

// PollSpin polls up to max times in one call into C.
//
//	int ibv_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
func (q *cq) PollSpin(wc []verbs.WC, max int) (int, error) {
	if q.gone() {
		return 0, closed("poll_cq", q.ctx.dev.name)
	}
	if len(wc) == 0 {
		return 0, nil
	}
	if q.ex != nil {
		return q.pollEx(wc, nil, max)
	}
	p := C.struct_poll_cq{cq: q.c, wc: (*C.struct_abi_wc)(unsafe.Pointer(unsafe.SliceData(wc))), n: C.int(len(wc)), max: C.int(max)}
	if !q.ctx.stacks.Call(C.fast_poll_cq, unsafe.Pointer(&p)) {
		var pins runtime.Pinner
		pins.Pin(p.wc)
		throughCgo(C.fast_poll_cq, unsafe.Pointer(&p), &pins)
	}
	return q.polled(p.got)
}

// polled returns the number of completions, or the error, of what ibv_poll_cq returned.
func (q *cq) polled(got C.int) (int, error) {
	if got < 0 {
		return 0, opError("poll_cq", q.ctx.dev.name, syscall.EIO, fmt.Sprintf("ibv_poll_cq returned %d: the queue has overrun, or the device failed", int(got)))
	}
	return int(got), nil
}

// ReqNotify arms the queue.
//
//	int ibv_req_notify_cq(struct ibv_cq *cq, int solicited_only)
func (q *cq) ReqNotify(solicitedOnly bool) error {
	if q.gone() {
		return closed("req_notify_cq", q.ctx.dev.name)
	}
	r := C.struct_req_notify{cq: q.c}
	if solicitedOnly {
		r.solicited_only = 1
	}
	if !q.ctx.stacks.Call(C.fast_req_notify, unsafe.Pointer(&r)) {
		C.fast_req_notify(unsafe.Pointer(&r))
	}
	return check("req_notify_cq", q.ctx.dev.name, syscall.Errno(r.err), nil)
}

// AckEvents acknowledges events.
//
//	void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents)
func (q *cq) AckEvents(n int) {
	if n > 0 && !q.gone() {
		C.ib_ack_cq_events(q.c, C.uint(n))
	}
}

// Resize changes the capacity.
//
//	int ibv_resize_cq(struct ibv_cq *cq, int cqe)
func (q *cq) Resize(cqe int) error {
	object := fmt.Sprintf("%s, %d entries", q.ctx.dev.name, cqe)
	if q.gone() {
		return closed("resize_cq", object)
	}
	ret, err := C.ib_resize_cq(q.c, C.int(cqe))
	errno := errnoOf(ret, err)
	return check("resize_cq", object, errno, func() string {
		return "the queued completions must fit; " + createHint(errno)
	})
}

func (q *cq) CQE() int {
	if q.gone() {
		return 0
	}
	return int(q.c.cqe)
}

// Close destroys the queue, once all its events are acknowledged.
//
//	int ibv_destroy_cq(struct ibv_cq *cq)
func (q *cq) Close() error {
	if q.gone() {
		return nil
	}
	ret, err := C.ib_destroy_cq(q.c)
	if err := check("destroy_cq", q.ctx.dev.name, errnoOf(ret, err), nil); err != nil {
		return err
	}
	q.ctx.drop(unsafe.Pointer(q.c), q)
	q.c = nil
	return nil
}

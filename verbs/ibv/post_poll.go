//go:build linux

package ibv

/*
#include "post_poll.h"
*/
import "C"

import (
	"runtime"
	"syscall"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

// PostPoll posts a list and polls, in one call into C.
//
//	int ibv_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
//	int ibv_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
func (q *qp) PostPoll(wr *verbs.SendWR, from verbs.CQ, wc []verbs.WC, max int) (n int, begin, end uint64, err error) {
	if q.gone() {
		return 0, 0, 0, closed("post_send", q.object())
	}
	completions, ok := from.(*cq)
	if !ok || completions.ctx != q.ctx || completions.gone() {
		return 0, 0, 0, opError("poll_cq", q.object(), syscall.EINVAL, "the CQ must be of this context, and open")
	}
	var p C.struct_post_poll
	q.fillPost(&p, wr)
	completions.fillPoll(&p, wc, max)
	if !q.ctx.stacks.Call(C.fast_post_poll, unsafe.Pointer(&p)) {
		var pins runtime.Pinner
		pinSends(&pins, wr)
		if len(wc) > 0 {
			pins.Pin(&wc[0])
		}
		throughCgo(C.fast_post_poll, unsafe.Pointer(&p), &pins)
	}
	begin, end = uint64(p.begin), uint64(p.end)
	if q.ex != nil && p.send_ex.err != 0 {
		return 0, begin, end, q.postError("wr_complete", p.send_ex.err)
	}
	if p.send.err != 0 {
		return 0, begin, end, q.postError("post_send", p.send.err)
	}
	if completions.ex != nil {
		n, err = completions.polledEx(p.poll_ex.got)
	} else {
		n, err = completions.polled(p.poll.got)
	}
	return n, begin, end, err
}

func (q *qp) fillPost(p *C.struct_post_poll, wr *verbs.SendWR) {
	list := (*C.struct_abi_send_wr)(unsafe.Pointer(wr))
	if q.ex != nil {
		p.send_ex.qp, p.send_ex.wr, p.send_ex.send_ops = q.ex, list, C.uint64_t(q.ops)
		return
	}
	p.send.qp, p.send.wr = q.c, list
}

func (q *cq) fillPoll(p *C.struct_post_poll, wc []verbs.WC, max int) {
	if len(wc) == 0 {
		return
	}
	into := (*C.struct_abi_wc)(unsafe.Pointer(unsafe.SliceData(wc)))
	if q.ex != nil {
		p.poll_ex.cq, p.poll_ex.wc, p.poll_ex.n, p.poll_ex.max = q.ex, into, C.int(len(wc)), C.int(max)
		return
	}
	p.poll.cq, p.poll.wc, p.poll.n, p.poll.max = q.c, into, C.int(len(wc)), C.int(max)
}

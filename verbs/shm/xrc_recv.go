package shm

import (
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/verbs"
)

// xrcQP is a handle of a QP of type XRC_RECV: what is done by one is done to the
// QP, whose events come to all of them.
type xrcQP struct {
	*qp
	xrcd   *xrcd
	events acks
}

func (h *xrcQP) asyncAcks() *acks { return &h.events }

func (x *xrcd) CreateRecvQP() (verbs.QP, error) {
	if x.isClosed() {
		return nil, x.ctx.err("create_qp_ex", ebadf, closedText)
	}
	none := &cq{object: x.ctx.made()} // on which nothing completes, as no memory is of the PD
	q := &qp{
		object: x.ctx.made(), pd: &pd{object: x.ctx.made()}, sendCQ: none, recvCQ: none,
		typ: verbs.QPTypeXRCRecv, made: verbs.QPInitAttr{Type: verbs.QPTypeXRCRecv}, pool: &x.pool,
	}
	h := &xrcQP{qp: q, xrcd: x}
	q.handles = []verbs.QP{h}
	if err := x.ctx.addQP(q); err != nil {
		return nil, err
	}
	x.setQP(q, true)
	x.use(1)
	return h, nil
}

func (x *xrcd) OpenQP(num uint32) (verbs.QP, error) {
	c := x.ctx
	if x.isClosed() {
		return nil, c.err("open_qp", ebadf, closedText)
	}
	if q := c.qpOf(num); q != nil && q.pool == &x.pool {
		q.opened.Lock()
		defer q.opened.Unlock()
		if len(q.handles) > 0 {
			h := &xrcQP{qp: q, xrcd: x}
			q.handles = append(q.handles, h)
			x.use(1)
			return h, nil
		}
	}
	return nil, c.err("open_qp", einval, fmt.Sprintf("the domain has no XRC_RECV QP %#x", num))
}

// Close closes the handle, and destroys the QP if it is the last one.
func (h *xrcQP) Close() error {
	q := h.qp
	q.opened.Lock()
	before := len(q.handles)
	q.handles = slices.DeleteFunc(q.handles, func(x verbs.QP) bool { return x == h })
	left := len(q.handles)
	q.opened.Unlock()
	if left == before {
		return nil
	}
	q.ctx.async.forget(&h.events)
	q.ctx.async.await(&h.events)
	var err error
	if left == 0 {
		err = q.Close()
	}
	h.xrcd.use(-1)
	return err
}

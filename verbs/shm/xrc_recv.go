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
	xrcd *xrcd
	acks acks
}

func (h *xrcQP) asyncAcks() *acks { return &h.acks }

func (x *xrcd) CreateRecvQP() (verbs.QP, error) {
	if x.isClosed() {
		return nil, x.ctx.err("create_qp_ex", ebadf, closedText)
	}
	none := &cq{object: x.ctx.newObject()} // on which nothing completes, as the PD has no memory
	q := &qp{
		object: x.ctx.newObject(), pd: &pd{object: x.ctx.newObject()}, sendCQ: none, recvCQ: none,
		typ: verbs.QPTypeXRCRecv, initAttr: verbs.QPInitAttr{Type: verbs.QPTypeXRCRecv}, pool: &x.pool,
	}
	h := &xrcQP{qp: q, xrcd: x}
	q.handles = []verbs.QP{h}
	if err := x.ctx.addQP(q); err != nil {
		return nil, err
	}
	x.setQP(q, true)
	x.addUsers(1)
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
			x.addUsers(1)
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
	q.ctx.async.forget(&h.acks)
	q.ctx.async.await(&h.acks)
	var err error
	if left == 0 {
		err = q.Close()
	}
	h.xrcd.addUsers(-1)
	return err
}

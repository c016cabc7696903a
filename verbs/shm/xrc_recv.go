package shm

import (
	"fmt"
	"slices"
	"sync"

	"github.com/ibperf/ibperf/verbs"
)

// xrcEnd is what a QP of type XRC_RECV has besides.
type xrcEnd struct {
	domain  *domain
	opened  sync.Mutex
	handles []*xrcQP // guarded by opened
	gone    bool     // the last handle was closed; guarded by opened
}

// xrcQP is a handle of a QP of type XRC_RECV: what is done by one is done to the
// QP, whose events come to all of them.
type xrcQP struct {
	*qp
	xrcd   *xrcd
	events acks
	closed bool // guarded by the QP's opened
}

func (h *xrcQP) asyncAcks() *acks { return &h.events }

func (x *xrcd) CreateRecvQP() (verbs.QP, error) {
	if x.isClosed() {
		return nil, x.ctx.err("create_qp_ex", ebadf, closedText)
	}
	d := x.domain
	q := &qp{
		object: object{ctx: x.ctx}, pd: d.pd, sendCQ: d.cq, recvCQ: d.cq, typ: verbs.QPTypeXRCRecv,
		made: verbs.QPInitAttr{Type: verbs.QPTypeXRCRecv}, pool: &d.pool, xrcEnd: xrcEnd{domain: d},
	}
	if err := x.ctx.addQP(q); err != nil {
		return nil, err
	}
	d.setQP(q, true)
	return q.handle(x), nil
}

func (x *xrcd) OpenQP(num uint32) (verbs.QP, error) {
	c := x.ctx
	if x.isClosed() {
		return nil, c.err("open_qp", ebadf, closedText)
	}
	if q := c.qpOf(num); q != nil && q.domain == x.domain {
		if h := q.handle(x); h != nil {
			return h, nil
		}
	}
	return nil, c.err("open_qp", einval, fmt.Sprintf("the domain has no XRC_RECV QP %#x", num))
}

// handle returns a further handle, or nil if the last one has been closed.
func (q *qp) handle(x *xrcd) *xrcQP {
	h := &xrcQP{qp: q, xrcd: x}
	q.opened.Lock()
	defer q.opened.Unlock()
	if q.gone {
		return nil
	}
	q.handles = append(q.handles, h)
	x.use(1)
	return h
}

func (q *qp) raiseToAll(event verbs.EventType) {
	q.opened.Lock()
	defer q.opened.Unlock()
	for _, h := range q.handles {
		q.ctx.raise(verbs.AsyncEvent{Type: event, QP: h})
	}
}

// Close closes the handle, and destroys the QP if it is the last one.
func (h *xrcQP) Close() error {
	last, again := h.leave()
	if again {
		return nil
	}
	q := h.qp
	q.ctx.forget(&h.events)
	h.events.wait()
	var err error
	if last {
		err = q.Close()
	}
	h.xrcd.use(-1)
	return err
}

// leave takes the handle off the QP's list.
func (h *xrcQP) leave() (last, again bool) {
	q := h.qp
	q.opened.Lock()
	defer q.opened.Unlock()
	if h.closed {
		return false, true
	}
	h.closed = true
	q.handles = slices.DeleteFunc(q.handles, func(x *xrcQP) bool { return x == h })
	q.gone = len(q.handles) == 0
	return q.gone, false
}

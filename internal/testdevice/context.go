package testdevice

import (
	"sync"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// context wraps a context. Its CQs, channels, PDs and QPs are wrapped too. SRQs, address handles
// and XRC domains are the inner ones; so are regions, unless messages are scattered to CQEs.
type context struct {
	verbs.Context
	options Options

	mu       sync.Mutex
	cqs      map[verbs.CQ]*cq // by the inner CQs, which events name
	qps      map[verbs.QP]*qp
	scatters map[uint32]*scatter // by QP number
}

// connManager is a context that connects by IP address.
type connManager struct {
	*context
	verbs.ConnManager
}

func (c *context) AllocPD() (verbs.PD, error) {
	inner, err := c.Context.AllocPD()
	if err != nil {
		return nil, err
	}
	return &pd{PD: inner, ctx: c, regions: map[uint32]*region{}}, nil
}

func (c *context) CreateCompChannel() (verbs.CompChannel, error) {
	inner, err := c.Context.CreateCompChannel()
	if err != nil {
		return nil, err
	}
	return &channel{CompChannel: inner, ctx: c}, nil
}

func (c *context) CreateCQ(cqe int, ch verbs.CompChannel, compVector int) (verbs.CQ, error) {
	of, _ := ch.(*channel)
	if of != nil {
		ch = of.CompChannel
	}
	inner, err := c.Context.CreateCQ(cqe, ch, compVector)
	if err != nil {
		return nil, err
	}
	q := &cq{CQ: inner, ctx: c, channel: of}
	if err := q.begin(); err != nil {
		inner.Close()
		return nil, err
	}
	return q, nil
}

func (c *context) GetAsyncEvent(timeout time.Duration) (verbs.AsyncEvent, error) {
	e, err := c.Context.GetAsyncEvent(timeout)
	c.mu.Lock()
	defer c.mu.Unlock()
	if q, ok := c.qps[e.QP]; ok {
		e.QP = q
	}
	if q, ok := c.cqs[e.CQ]; ok {
		e.CQ = q
	}
	return e, err
}

func (c *context) AckAsyncEvent(e verbs.AsyncEvent) {
	if q, ok := e.QP.(*qp); ok {
		e.QP = q.QP
	}
	e.CQ = innerCQ(e.CQ)
	c.Context.AckAsyncEvent(e)
}

// innerCQ returns the inner CQ of a wrapped one, and any other CQ unchanged.
func innerCQ(q verbs.CQ) verbs.CQ {
	if q, ok := q.(*cq); ok {
		return q.CQ
	}
	return q
}

// pd wraps a PD.
type pd struct {
	verbs.PD
	ctx *context

	mu      sync.Mutex
	regions map[uint32]*region // by lkey
}

func (p *pd) RegMR(buf []byte, access verbs.Access) (verbs.MR, error) {
	mr, err := p.PD.RegMR(buf, access)
	return p.registered(mr, buf, access, err)
}

func (p *pd) RegMRIova(buf []byte, iova uint64, access verbs.Access) (verbs.MR, error) {
	mr, err := p.PD.RegMRIova(buf, iova, access)
	return p.registered(mr, buf, access, err)
}

func (p *pd) registered(mr verbs.MR, buf []byte, access verbs.Access, err error) (verbs.MR, error) {
	if err != nil {
		return nil, err
	}
	if hook := p.ctx.options.OnRegMR; hook != nil {
		hook(mr, access)
	}
	return p.know(mr, buf, access), nil
}

func (p *pd) CreateSRQ(init *verbs.SRQInitAttr) (verbs.SRQ, error) {
	outer := init.CQ
	init.CQ = innerCQ(outer)
	srq, err := p.PD.CreateSRQ(init)
	init.CQ = outer
	return srq, err
}

func (p *pd) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	q := &qp{ctx: p.ctx, pd: p, sendCQ: init.SendCQ, recvCQ: init.RecvCQ}
	init.SendCQ, init.RecvCQ = innerCQ(q.sendCQ), innerCQ(q.recvCQ)
	inner, err := p.PD.CreateQP(init)
	init.SendCQ, init.RecvCQ = q.sendCQ, q.recvCQ
	if err != nil {
		return nil, err
	}
	q.QP = inner
	if err := q.begin(init); err != nil {
		inner.Close()
		return nil, err
	}
	return q, nil
}

package verbstest

import (
	"errors"
	"io"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// refuses checks that calls, by their names, fail because what they are made on is closed.
func (e *env) refuses(calls map[string]error) {
	e.Helper()
	for call, err := range calls {
		if !errors.Is(err, verbs.ErrClosed) {
			e.Errorf("%s: error %v, want %v", call, err, verbs.ErrClosed)
		}
	}
}

// errorOf drops the value of a call.
func errorOf[T any](_ T, err error) error { return err }

// closeTwice closes an object, which may be done again.
func (e *env) closeTwice(object io.Closer) {
	e.Helper()
	e.close(object)
	e.ok(object.Close())
}

func closedObjects(e *env) {
	c := conf()
	c.channel, c.srq = true, depth
	s := e.side(c)
	handle, noHandle := s.pd.CreateAH(s.address())
	e.closeTwice(s.qp)
	e.closedQP(s.qp)
	e.closeTwice(s.srq)
	e.closedSRQ(s.srq)
	e.closeTwice(s.sendCQ.CQ)
	e.closeTwice(s.recvCQ.CQ)
	e.closedCQ(s.recvCQ.CQ)
	e.closeTwice(s.ch)
	e.closedChannel(s.ch)
	e.closeTwice(s.mr)
	if s.mr.Len() != len(s.mem) {
		e.Errorf("a region that was closed has %d bytes", s.mr.Len())
	}
	if noHandle == nil {
		e.ok(handle.Close())
		e.ok(handle.Close())
	}
	e.closeTwice(s.pd)
	e.closedPD(s)
	e.closedArguments(s)
	if offersXRC(e.device(s.ctx)) {
		e.closedXRC(s.ctx)
	}
}

// address is the way to the side's own port.
func (s *side) address() *verbs.AHAttr {
	return &verbs.AHAttr{PortNum: uint8(s.target.Port), IsGlobal: true, GRH: verbs.GlobalRoute{
		DGID: s.gid(s.ctx), SGIDIndex: uint8(s.target.GIDIndex), HopLimit: 1,
	}}
}

func (e *env) closedQP(q verbs.QP) {
	e.Helper()
	send, receive := array[verbs.SendWR](e, 1), array[verbs.RecvWR](e, 1)
	group := verbs.GID{0: 0xff, 1: 0x12, 15: 1}
	_, _, query := q.Query(verbs.MaskState)
	e.refuses(map[string]error{
		"modify_qp":    q.Modify(&verbs.QPAttr{State: verbs.QPErr}, verbs.MaskState),
		"query_qp":     query,
		"data order":   errorOf(q.QueryDataInOrder(opSend, 0)),
		"post_send":    errorOf(q.PostSend(&send[0])),
		"post_recv":    errorOf(q.PostRecv(&receive[0])),
		"attach_mcast": q.AttachMcast(group, 0),
		"detach_mcast": q.DetachMcast(group, 0),
	})
	if q.QPNum() == 0 {
		e.Error("a QP that was closed has lost its number")
	}
}

func (e *env) closedSRQ(s verbs.SRQ) {
	e.Helper()
	receive := array[verbs.RecvWR](e, 1)
	e.refuses(map[string]error{
		"modify_srq":    s.Modify(verbs.SRQAttr{Limit: 1}, verbs.SRQLimit),
		"query_srq":     errorOf(s.Query()),
		"post_srq_recv": errorOf(s.PostRecv(&receive[0])),
		"get_srq_num":   errorOf(s.Num()),
	})
}

func (e *env) closedCQ(q verbs.CQ) {
	e.Helper()
	wc := array[verbs.WC](e, 1)
	e.refuses(map[string]error{
		"poll_cq":           errorOf(q.Poll(wc)),
		"poll_cq, spinning": errorOf(q.PollSpin(wc, 10)),
		"req_notify_cq":     q.ReqNotify(false),
		"resize_cq":         q.Resize(depth),
	})
	q.CQE()
	q.AckEvents(0)
}

func (e *env) closedChannel(ch verbs.CompChannel) {
	e.Helper()
	e.refuses(map[string]error{
		"get_cq_event":      errorOf(ch.GetEvent(patience)),
		"get_cq_event, raw": errorOf(ch.GetEventRaw(time.Millisecond)),
	})
	if ch.FD() != -1 {
		e.Errorf("a channel that was closed has descriptor %d", ch.FD())
	}
}

func (e *env) closedPD(s *side) {
	e.Helper()
	wc := array[verbs.WC](e, 1)
	e.refuses(map[string]error{
		"reg_mr":            errorOf(s.pd.RegMR(s.mem, allRights)),
		"reg_mr_iova":       errorOf(s.pd.RegMRIova(s.mem, 0, allRights)),
		"create_qp":         errorOf(s.pd.CreateQP(&verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: s.sendCQ.CQ, RecvCQ: s.recvCQ.CQ})),
		"create_srq":        errorOf(s.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 1, MaxSGE: 1}})),
		"create_ah":         errorOf(s.pd.CreateAH(s.address())),
		"create_ah_from_wc": errorOf(s.pd.CreateAHFromWC(&wc[0], nil, s.target.Port)),
	})
}

// closedArguments: what is closed is of no use to others.
func (e *env) closedArguments(s *side) {
	e.Helper()
	pd := e.pd(s.ctx)
	if cq, err := s.ctx.CreateCQ(depth, s.ch, 0); err == nil {
		e.Error("a CQ was made with a channel that was closed")
		e.ok(cq.Close())
	}
	if qp, err := pd.CreateQP(&verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: s.sendCQ.CQ, RecvCQ: s.recvCQ.CQ}); err == nil {
		e.Error("a QP was made with CQs that were closed")
		e.ok(qp.Close())
	}
	live := e.queue(s.ctx, depth, nil)
	if qp, err := pd.CreateQP(&verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: live.CQ, RecvCQ: live.CQ, SRQ: s.srq}); err == nil {
		e.Error("a QP was made with an SRQ that was closed")
		e.ok(qp.Close())
	}
}

func (e *env) closedXRC(ctx verbs.Context) {
	e.Helper()
	x := e.xrcd(ctx)
	qp, err := x.CreateRecvQP()
	e.ok(err)
	e.ok(qp.Close())
	_, _, query := qp.Query(verbs.MaskState)
	e.refuses(map[string]error{
		"query_qp of XRC_RECV":  query,
		"modify_qp of XRC_RECV": qp.Modify(&verbs.QPAttr{State: verbs.QPErr}, verbs.MaskState),
	})
	e.closeTwice(x)
	e.refuses(map[string]error{
		"create_qp_ex": errorOf(x.CreateRecvQP()),
		"open_qp":      errorOf(x.OpenQP(qp.QPNum())),
	})
}

func closedContext(e *env) {
	c := conf()
	c.channel = true
	s := e.side(c)
	gid, wc := s.gid(s.ctx), array[verbs.WC](e, 1)
	e.closeTwice(s.ctx)
	e.refuses(map[string]error{
		"query_device":        errorOf(s.ctx.QueryDevice()),
		"query_port":          errorOf(s.ctx.QueryPort(e.target.Port)),
		"query_gid":           errorOf(s.ctx.QueryGID(e.target.Port, e.target.GIDIndex)),
		"query_gid_table":     errorOf(s.ctx.QueryGIDTable(1)),
		"query_pkey":          errorOf(s.ctx.QueryPKey(e.target.Port, 0)),
		"get_pkey_index":      errorOf(s.ctx.PKeyIndex(e.target.Port, 0xffff)),
		"init_ah_from_wc":     errorOf(s.ctx.InitAHFromWC(e.target.Port, &wc[0], gid[:])),
		"open_xrcd":           errorOf(s.ctx.OpenXRCD(-1, 0)),
		"alloc_pd":            errorOf(s.ctx.AllocPD()),
		"create_comp_channel": errorOf(s.ctx.CreateCompChannel()),
		"create_cq":           errorOf(s.ctx.CreateCQ(depth, nil, 0)),
		"get_async_event":     errorOf(s.ctx.GetAsyncEvent(patience)),
		"get_cq_event":        errorOf(s.ch.GetEvent(patience)),
		"reg_mr":              errorOf(s.pd.RegMR(s.mem, allRights)),
	})
	e.closedQP(s.qp)
	s.ctx.AckAsyncEvent(verbs.AsyncEvent{Type: verbs.EventPortActive, Port: e.target.Port})
	if s.ctx.Device().Name() != e.target.Device.Name() {
		e.Error("a context that was closed has lost its device")
	}
}

package verbstest

import (
	"errors"
	"io"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// refuses checks that calls, by their names, fail because their object is closed.
func (e *env) refuses(calls map[string]error) {
	e.Helper()
	for call, err := range calls {
		if !errors.Is(err, verbs.ErrClosed) {
			e.Errorf("%s: error %v, want %v", call, err, verbs.ErrClosed)
		}
	}
}

// errorOf returns the error of a call.
func errorOf[T any](_ T, err error) error { return err }

// closeTwice closes an object twice.
func (e *env) closeTwice(object io.Closer) {
	e.Helper()
	e.close(object)
	e.ok(object.Close())
}

func closedObjects(e *env) {
	c := conf()
	c.Channel, c.SRQ = true, depth
	s := e.side(c)
	handle, noHandle := s.PD.CreateAH(s.address())
	e.closeTwice(s.QP)
	e.closedQP(s.QP)
	e.closeTwice(s.SRQ)
	e.closedSRQ(s.SRQ)
	e.closeTwice(s.SendCQ.CQ)
	e.closeTwice(s.RecvCQ.CQ)
	e.closedCQ(s.RecvCQ.CQ)
	e.closeTwice(s.Channel)
	e.closedChannel(s.Channel)
	e.closeTwice(s.MR)
	if s.MR.Len() != len(s.Mem) {
		e.Errorf("a region that was closed has %d bytes", s.MR.Len())
	}
	if noHandle == nil {
		e.ok(handle.Close())
		e.ok(handle.Close())
	}
	e.closeTwice(s.PD)
	e.closedPD(s)
	e.closedArguments(s)
	if offersXRC(e.device(s.Ctx)) {
		e.closedXRC(s.Ctx)
	}
}

// address returns the route to the side's own port.
func (s *side) address() *verbs.AHAttr {
	return &verbs.AHAttr{PortNum: uint8(s.target.Port), IsGlobal: true, GRH: verbs.GlobalRoute{
		DGID: s.gid(s.Ctx), SGIDIndex: uint8(s.target.GIDIndex), HopLimit: 1,
	}}
}

func (e *env) closedQP(q verbs.QP) {
	e.Helper()
	send, receive := fixture.Array[verbs.SendWR](e, 1), fixture.Array[verbs.RecvWR](e, 1)
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
	receive := fixture.Array[verbs.RecvWR](e, 1)
	e.refuses(map[string]error{
		"modify_srq":    s.Modify(verbs.SRQAttr{Limit: 1}, verbs.SRQLimit),
		"query_srq":     errorOf(s.Query()),
		"post_srq_recv": errorOf(s.PostRecv(&receive[0])),
		"get_srq_num":   errorOf(s.Num()),
	})
}

func (e *env) closedCQ(q verbs.CQ) {
	e.Helper()
	wc := fixture.Array[verbs.WC](e, 1)
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
		"get_cq_event":      errorOf(ch.GetEvent(fixture.WaitTimeout)),
		"get_cq_event, raw": errorOf(ch.GetEventRaw(time.Millisecond)),
	})
	if ch.FD() != -1 {
		e.Errorf("a channel that was closed has descriptor %d", ch.FD())
	}
}

func (e *env) closedPD(s *side) {
	e.Helper()
	wc := fixture.Array[verbs.WC](e, 1)
	e.refuses(map[string]error{
		"reg_mr":            errorOf(s.PD.RegMR(s.Mem, allRights)),
		"reg_mr_iova":       errorOf(s.PD.RegMRIova(s.Mem, 0, allRights)),
		"create_qp":         errorOf(s.PD.CreateQP(&verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: s.SendCQ.CQ, RecvCQ: s.RecvCQ.CQ})),
		"create_srq":        errorOf(s.PD.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 1, MaxSGE: 1}})),
		"create_ah":         errorOf(s.PD.CreateAH(s.address())),
		"create_ah_from_wc": errorOf(s.PD.CreateAHFromWC(&wc[0], nil, s.target.Port)),
	})
}

// closedArguments checks that calls refuse arguments that are closed.
func (e *env) closedArguments(s *side) {
	e.Helper()
	pd := e.pd(s.Ctx)
	if cq, err := s.Ctx.CreateCQ(depth, s.Channel, 0); err == nil {
		e.Error("a CQ was made with a channel that was closed")
		e.ok(cq.Close())
	}
	if qp, err := pd.CreateQP(&verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: s.SendCQ.CQ, RecvCQ: s.RecvCQ.CQ}); err == nil {
		e.Error("a QP was made with CQs that were closed")
		e.ok(qp.Close())
	}
	live := fixture.NewQueue(e, s.Ctx, depth, nil)
	if qp, err := pd.CreateQP(&verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: live.CQ, RecvCQ: live.CQ, SRQ: s.SRQ}); err == nil {
		e.Error("a QP was made with an SRQ that was closed")
		e.ok(qp.Close())
	}
}

func (e *env) closedXRC(ctx verbs.Context) {
	e.Helper()
	x := fixture.OpenXRCD(e, ctx)
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
	c.Channel = true
	s := e.side(c)
	gid, wc := s.gid(s.Ctx), fixture.Array[verbs.WC](e, 1)
	e.closeTwice(s.Ctx)
	e.refuses(map[string]error{
		"query_device":        errorOf(s.Ctx.QueryDevice()),
		"query_port":          errorOf(s.Ctx.QueryPort(e.target.Port)),
		"query_gid":           errorOf(s.Ctx.QueryGID(e.target.Port, e.target.GIDIndex)),
		"query_gid_table":     errorOf(s.Ctx.QueryGIDTable(1)),
		"query_pkey":          errorOf(s.Ctx.QueryPKey(e.target.Port, 0)),
		"get_pkey_index":      errorOf(s.Ctx.PKeyIndex(e.target.Port, 0xffff)),
		"init_ah_from_wc":     errorOf(s.Ctx.InitAHFromWC(e.target.Port, &wc[0], gid[:])),
		"open_xrcd":           errorOf(s.Ctx.OpenXRCD(-1, 0)),
		"alloc_pd":            errorOf(s.Ctx.AllocPD()),
		"create_comp_channel": errorOf(s.Ctx.CreateCompChannel()),
		"create_cq":           errorOf(s.Ctx.CreateCQ(depth, nil, 0)),
		"get_async_event":     errorOf(s.Ctx.GetAsyncEvent(fixture.WaitTimeout)),
		"get_cq_event":        errorOf(s.Channel.GetEvent(fixture.WaitTimeout)),
		"reg_mr":              errorOf(s.PD.RegMR(s.Mem, allRights)),
	})
	e.closedQP(s.QP)
	s.Ctx.AckAsyncEvent(verbs.AsyncEvent{Type: verbs.EventPortActive, Port: e.target.Port})
	if s.Ctx.Device().Name() != e.target.Device.Name() {
		e.Error("a context that was closed has lost its device")
	}
}

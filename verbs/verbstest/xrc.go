package verbstest

import (
	"errors"
	"os"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var xrcStatements = []statement{
	{"XRC-1", "a device without XRC refuses its domains and QPs; XRC_RECV of a domain of protection is refused by all", xrcNotOffered},
	{"XRC-2", "a domain opened without a file is private", xrcPrivate},
	{"XRC-3", "the domain of a file is made by O_CREAT, refused by O_EXCL if it is there, and the same for all who open it in one context", xrcOfFile},
	{"XRC-4", "a domain with a QP or an SRQ is busy, and is gone with its last handle", xrcBusy},
	{"XRC-5", "an SRQ for XRC needs a domain and a CQ, has a number of its own, and completes on that CQ", xrcSRQs},
	{"XRC-6", "XRC_SEND has no receive side", xrcSendOnly},
	{"XRC-7", "XRC_RECV posts nothing", xrcRecvOnly},
	{"XRC-8", "both ends move with their own attributes, or with those of RC", xrcMoves},
	{"XRC-9", "a SEND names the SRQ; on RC the name has no meaning", xrcNames},
	{"XRC-10", "one connection reaches all SRQs of the domain, request by request", xrcSelects},
	{"XRC-11", "every operation works as over RC, gated by the access of XRC_RECV; the memory is of the PD of the SRQ that the request names", xrcOperations},
	{"XRC-12", "a receive's completion has the XRC_RECV QP's number and the wr_id of the SRQ's receive", xrcCompletion},
	{"XRC-13", "REM_INV_REQ_ERR: an SRQ that is not there, or of another domain", xrcWrongSRQ},
	{"XRC-14", "an empty SRQ acts as an empty receive queue: RNR_RETRY_EXC_ERR, or success with a receive in time", xrcEmptySRQ},
	{"XRC-15", "open_qp returns a further handle of the domain's XRC_RECV QP, here within one process, and refuses other numbers", xrcOpened},
	{"XRC-16", "modify and query by any handle are of the one QP, whose events come to all", xrcHandles},
	{"XRC-17", "closing a handle leaves the QP, which goes with the last one, here within one process", xrcLastHandle},
	{"XRC-18", "query_xrc_rcv_qp is open_qp, query_qp and destroy_qp of the handle", xrcQueried},
	{"XRC-19", "its mask is the least that is returned; an unknown number is refused", xrcQueryMasks},
	{"XRC-20", "XRC_RECV is queried as of its type, without CQs, SRQ and capabilities", xrcCreated},
}

func offersXRC(d verbs.DeviceAttr) bool { return d.DeviceCapFlags&verbs.DeviceCapXRC != 0 }

func (e *env) numOf(srq verbs.SRQ) uint32 {
	e.Helper()
	n, err := srq.Num()
	e.ok(err)
	return n
}

// xrcSides makes an XRC_SEND and an XRC_RECV side, in RESET.
func (e *env) xrcSides(c config) (a, b *side) {
	e.Helper()
	b = e.side(c.WithType(verbs.QPTypeXRCRecv))
	a = e.side(c.WithType(verbs.QPTypeXRCSend))
	a.RemoteSRQ = e.numOf(b.SRQ)
	return a, b
}

// xrcPair makes an XRC_SEND and an XRC_RECV side in RTS.
func (e *env) xrcPair(c config) (a, b *side) {
	e.Helper()
	a, b = e.xrcSides(c)
	fixture.Connect(a, b)
	return a, b
}

func xrcNotOffered(e *env) {
	s := e.side(conf())
	init := verbs.QPInitAttr{SendCQ: s.SendCQ.CQ, RecvCQ: s.RecvCQ.CQ, Cap: s.Config.Cap, Type: verbs.QPTypeXRCRecv}
	_, err := s.PD.CreateQP(&init)
	e.refused("create_qp of XRC_RECV", err, syscall.EINVAL, verbs.ErrNotSupported)
	if offersXRC(e.device(s.Ctx)) {
		return
	}
	_, err = s.Ctx.OpenXRCD(-1, os.O_CREATE)
	e.refused("open_xrcd", err, verbs.ErrNotSupported)
	init.Type = verbs.QPTypeXRCSend
	_, err = s.PD.CreateQP(&init)
	e.refused("create_qp of XRC_SEND", err, verbs.ErrNotSupported)
}

func xrcPrivate(e *env) {
	_, b := e.xrcSides(conf())
	_, err := fixture.OpenXRCD(e, b.Ctx).OpenQP(b.QP.QPNum())
	e.refused("open_qp in another private domain", err, syscall.EINVAL)
	h, err := b.XRCD.OpenQP(b.QP.QPNum())
	own(e, h, err)
}

// descriptor opens a file of the test's own.
func (e *env) descriptor() int {
	e.Helper()
	f, err := os.CreateTemp(e.TempDir(), "")
	e.ok(err)
	e.Cleanup(func() { f.Close() })
	return int(f.Fd())
}

func xrcOfFile(e *env) {
	_, b := e.xrcSides(conf())
	fd := e.descriptor()
	_, err := b.Ctx.OpenXRCD(fd, 0)
	e.refused("open_xrcd of a file without a domain", err, syscall.EAGAIN)
	_, err = b.Ctx.OpenXRCD(1<<20, os.O_CREATE)
	e.refused("open_xrcd of no descriptor", err, syscall.EBADF)
	first, err := b.Ctx.OpenXRCD(fd, os.O_CREATE|os.O_EXCL)
	own(e, first, err)
	_, err = b.Ctx.OpenXRCD(fd, os.O_CREATE|os.O_EXCL)
	e.refused("open_xrcd with O_EXCL", err, syscall.EINVAL)
	second, err := b.Ctx.OpenXRCD(fd, 0)
	own(e, second, err)
	qp, err := first.CreateRecvQP()
	own(e, qp, err)
	h, err := second.OpenQP(qp.QPNum())
	own(e, h, err)
	if h.QPNum() != qp.QPNum() {
		e.Errorf("the handle is of QP %#x, not %#x", h.QPNum(), qp.QPNum())
	}
}

func xrcBusy(e *env) {
	_, b := e.xrcSides(conf())
	e.refused("close_xrcd with a QP and an SRQ", b.XRCD.Close(), syscall.EBUSY)
	e.close(b.QP)
	e.refused("close_xrcd with an SRQ", b.XRCD.Close(), syscall.EBUSY)
	e.close(b.SRQ)
	b.NewQP()
	e.refused("close_xrcd with a QP", b.XRCD.Close(), syscall.EBUSY)
	e.close(b.QP)
	e.close(b.XRCD)

	fd := e.descriptor()
	first, err := b.Ctx.OpenXRCD(fd, os.O_CREATE)
	e.ok(err)
	second, err := b.Ctx.OpenXRCD(fd, os.O_CREATE)
	e.ok(err)
	e.ok(first.Close())
	third, err := b.Ctx.OpenXRCD(fd, 0)
	e.ok(err)
	e.ok(second.Close())
	e.ok(third.Close())
	_, err = b.Ctx.OpenXRCD(fd, 0)
	e.refused("open_xrcd of a domain that is gone", err, syscall.EAGAIN)
}

func xrcSRQs(e *env) {
	a, b := e.xrcPair(conf())
	attr := verbs.SRQAttr{MaxWR: 1, MaxSGE: 1}
	for _, init := range []verbs.SRQInitAttr{{Attr: attr, XRCD: b.XRCD}, {Attr: attr, CQ: b.RecvCQ.CQ}} {
		_, err := b.PD.CreateSRQ(&init)
		e.refused("create_srq", err, syscall.EINVAL)
	}
	cq := fixture.NewQueue(e, b.Ctx, depth, nil)
	other := *b
	other.SRQ = b.NewXRCSRQ(cq)
	if e.numOf(other.SRQ) == e.numOf(b.SRQ) {
		e.Errorf("two SRQs have the number %#x", e.numOf(b.SRQ))
	}
	b.PostRecv(recv{ID: 1})
	other.PostRecv(recv{ID: 2})
	a.Post(send{Op: opSend, SRQ: e.numOf(other.SRQ)})
	cq.Expect(2, verbs.WCSuccess)
	b.RecvCQ.StaysEmpty()
	a.Post(send{Op: opSend})
	b.RecvCQ.Expect(1, verbs.WCSuccess)
	e.refused("destroy_cq", cq.Close(), syscall.EBUSY)
}

func xrcSendOnly(e *env) {
	a, _ := e.xrcPair(conf())
	_, err := a.TryPostRecv(recv{ID: 1})
	e.refused("post_recv", err, syscall.EINVAL)
	_, init, err := a.QP.Query(verbs.MaskCap)
	e.ok(err)
	if init.Type != verbs.QPTypeXRCSend || init.Cap.MaxRecvWR != 0 || init.Cap.MaxRecvSGE != 0 {
		e.Errorf("%+v", init)
	}
}

func xrcRecvOnly(e *env) {
	_, b := e.xrcPair(conf())
	_, err := b.TryPost(send{Op: opSend})
	e.refused("post_send", err, syscall.EINVAL)
	b.SRQ = nil
	_, err = b.TryPostRecv(recv{ID: 1})
	e.refused("post_recv", err, syscall.EINVAL)
}

func xrcMoves(e *env) {
	const (
		requester = verbs.MaskRetryCnt | verbs.MaskRNRRetry | verbs.MaskMaxRdAtomic
		responder = verbs.MaskMaxDestRdAtomic | verbs.MaskMinRNRTimer
	)
	a, b := e.xrcSides(conf())
	move := func(s, peer *side, to verbs.QPState, without verbs.QPAttrMask) error {
		attr, mask := s.Move(to, peer)
		return s.QP.Modify(attr, mask&^without)
	}
	for _, without := range []verbs.QPAttrMask{0, requester | responder} {
		a.To(verbs.QPReset, b)
		b.To(verbs.QPReset, a)
		a.To(verbs.QPInit, b)
		b.To(verbs.QPInit, a)
		e.refused("XRC_RECV to RTR", move(b, a, verbs.QPRTR, verbs.MaskMinRNRTimer), syscall.EINVAL)
		e.ok(move(a, b, verbs.QPRTR, without&responder))
		e.ok(move(b, a, verbs.QPRTR, without&requester))
		e.refused("XRC_SEND to RTS", move(a, b, verbs.QPRTS, verbs.MaskRetryCnt), syscall.EINVAL)
		e.ok(move(a, b, verbs.QPRTS, without&responder))
		e.ok(move(b, a, verbs.QPRTS, without&requester))
		b.PostRecv(recv{ID: 1})
		a.Post(send{Op: opSend})
		b.RecvCQ.Expect(1, verbs.WCSuccess)
	}
}

func xrcQueried(e *env) {
	_, b := e.xrcPair(conf())
	attr, init, err := verbs.QueryXRCRecvQP(b.XRCD, b.QP.QPNum(), verbs.MaskState)
	e.ok(err)
	if attr.State != verbs.QPRTS || init.QPNumber != b.QP.QPNum() {
		e.Errorf("%+v, %+v", attr, init)
	}
	b.IsIn(verbs.QPRTS)
	e.close(b.QP)
	if _, _, err = verbs.QueryXRCRecvQP(b.XRCD, b.QP.QPNum(), verbs.MaskState); !errors.Is(err, syscall.EINVAL) {
		e.Errorf("the query left a handle: %v", err)
	}
}

func xrcQueryMasks(e *env) {
	a, b := e.xrcPair(conf())
	masks := verbs.MaskState | verbs.MaskDestQPN | verbs.MaskRQPSN | verbs.MaskMinRNRTimer
	attr, _, err := verbs.QueryXRCRecvQP(b.XRCD, b.QP.QPNum(), masks)
	e.ok(err)
	if attr.State != verbs.QPRTS || attr.DestQPNum != a.QP.QPNum() || attr.RQPSN != a.Config.PSN || attr.MinRNRTimer != b.Config.RNRTimer {
		e.Errorf("%+v", attr)
	}
	_, _, err = verbs.QueryXRCRecvQP(b.XRCD, b.QP.QPNum()^1, masks)
	e.refused("query_xrc_rcv_qp of an unknown number", err, syscall.EINVAL)
}

func xrcCreated(e *env) {
	_, b := e.xrcPair(conf())
	_, init, err := b.QP.Query(verbs.MaskState)
	e.ok(err)
	if want := (verbs.QPInitAttr{Type: verbs.QPTypeXRCRecv, QPNumber: b.QP.QPNum()}); init != want {
		e.Errorf("%+v, want %+v", init, want)
	}
}

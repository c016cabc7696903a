package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

func xrcNames(e *env) {
	a, b := e.xrcPair(conf())
	b.PostRecv(recv{ID: 1})
	a.Post(send{Op: opSend, Flags: signaled})
	a.SendCQ.Expect(0, verbs.WCSuccess)
	b.RecvCQ.Expect(1, verbs.WCSuccess)
	c, d := e.pair(conf())
	d.PostRecv(recv{ID: 2})
	c.Post(send{Op: opSend, SRQ: 0xbad})
	d.RecvCQ.Expect(2, verbs.WCSuccess)
}

func xrcSelects(e *env) {
	a, b := e.xrcPair(conf())
	other := *b
	other.SRQ = b.NewXRCSRQ(b.RecvCQ)
	nums := []uint32{e.numOf(b.SRQ), e.numOf(other.SRQ)}
	for i := range uint64(3) {
		b.PostRecv(recv{ID: 10 + i})
		other.PostRecv(recv{ID: 20 + i})
	}
	for i, which := range []int{0, 1, 1, 0, 1, 0} {
		a.Post(send{ID: uint64(i), Op: opSend, Flags: signaled, SRQ: nums[which]})
		a.SendCQ.Expect(uint64(i), verbs.WCSuccess)
		b.RecvCQ.Expect([]uint64{10, 20, 21, 11, 22, 12}[i], verbs.WCSuccess)
	}
}

func xrcOperations(e *env) {
	for _, tr := range transfers {
		m := &mover{transfer: tr, env: e}
		m.a, m.b = e.xrcPair(conf())
		for _, size := range []int{8, 3000} {
			m.move(size, 0, 0)
		}
	}
	c := conf()
	c.Access, c.QPAccess = allRights|verbs.AccessRemoteAtomic, allRights|verbs.AccessRemoteAtomic
	a, b := e.xrcPair(c)
	b.Mem[0] = 5
	for _, op := range []verbs.Opcode{verbs.OpAtomicFetchAndAdd, verbs.OpAtomicCmpAndSwp} {
		w := send{ID: 1, Op: op, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}, CompareAdd: 5, Swap: 7}.Toward(b, 0)
		a.Post(w)
		a.SendCQ.Expect(1, verbs.WCSuccess)
	}
	e.holds(b.Mem[:2], "\x0a\x00") // 5 added to 5, and no 5 to swap
	c.QPAccess = verbs.AccessRemoteRead
	a, b = e.xrcPair(c)
	a.Post(send{ID: 2, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
	a.SendCQ.Expect(2, verbs.WCRemInvReqErr)
	a, b = e.xrcPair(conf())
	a.Post(send{ID: 3, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Into(b.registerInOtherPD(), 0))
	a.SendCQ.Expect(3, verbs.WCRemAccessErr)
}

func xrcCompletion(e *env) {
	a, b := e.xrcPair(conf())
	b.PostRecv(recv{ID: 77, SGEs: []verbs.SGE{b.SGE(0, 100)}})
	a.Post(send{Op: opSend, SGEs: []verbs.SGE{a.SGE(0, 40)}})
	wc := b.RecvCQ.Expect(77, verbs.WCSuccess)
	if wc.QPNum != b.QP.QPNum() || wc.Opcode != verbs.WCRecv || wc.ByteLen != 40 || wc.Flags != 0 {
		e.Errorf("%+v, the QP is %#x", wc, b.QP.QPNum())
	}
}

func xrcWrongSRQ(e *env) {
	_, other := e.xrcSides(conf())
	for _, op := range []verbs.Opcode{opSend, opWrite} {
		a, b := e.xrcPair(conf())
		twin := *b
		twin.XRCD = fixture.OpenXRCD(e, b.Ctx)
		foreign := twin.NewXRCSRQ(b.RecvCQ)
		basic := b.NewSRQ(verbs.SRQAttr{MaxWR: 1, MaxSGE: 1})
		for _, num := range []uint32{0xffffff, e.numOf(foreign), e.numOf(basic), e.numOf(other.SRQ) + 1000} {
			a.Post(send{ID: 1, Op: op, SRQ: num, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
			a.SendCQ.Expect(1, verbs.WCRemInvReqErr)
			a.Reaches(verbs.QPErr)
			fixture.Recover(a, b)
		}
		b.PostRecv(recv{ID: 2})
		a.Post(send{Op: opSend})
		b.RecvCQ.Expect(2, verbs.WCSuccess)
	}
}

func xrcEmptySRQ(e *env) {
	c := conf()
	c.RNRRetry = 1
	a, b := e.xrcPair(c)
	a.Post(send{ID: 1, Op: opSend})
	a.SendCQ.Expect(1, verbs.WCRNRRetryExcErr)
	b.IsIn(verbs.QPRTS)
	a, b = e.xrcPair(conf())
	a.Post(send{ID: 2, Op: opSend, Flags: signaled})
	a.SendCQ.StaysEmpty()
	b.PostRecv(recv{ID: 3})
	b.RecvCQ.Expect(3, verbs.WCSuccess)
	a.SendCQ.Expect(2, verbs.WCSuccess)
}

// opened opens a further handle of the side's QP.
func (s *side) opened() *side {
	s.Helper()
	twin := *s
	h, err := s.XRCD.OpenQP(s.QP.QPNum())
	twin.QP = own(s.env, h, err)
	return &twin
}

func xrcOpened(e *env) {
	a, b := e.xrcPair(conf())
	if h := b.opened(); h.QP.QPNum() != b.QP.QPNum() {
		e.Errorf("the handle is of QP %#x, not %#x", h.QP.QPNum(), b.QP.QPNum())
	}
	further := e.sideOn(b.Ctx, conf())
	for _, num := range []uint32{b.QP.QPNum() ^ 0x800000, further.QP.QPNum(), 0} {
		_, err := b.XRCD.OpenQP(num)
		e.refused("open_qp", err, syscall.EINVAL)
	}
	b.PostRecv(recv{ID: 1})
	a.Post(send{Op: opSend})
	b.RecvCQ.Expect(1, verbs.WCSuccess)
}

func xrcHandles(e *env) {
	a, b := e.xrcSides(conf())
	h := b.opened()
	for i, state := range fixture.Path(verbs.QPRTS) {
		a.To(state, b)
		[]*side{b, h}[i%2].To(state, a)
		b.IsIn(state)
		h.IsIn(state)
	}
	h.To(verbs.QPErr, a)
	b.IsIn(verbs.QPErr)
	left := map[verbs.QP]bool{b.QP: true, h.QP: true}
	for range 2 {
		e.event(b.Ctx, verbs.EventQPLastWQE, func(ev verbs.AsyncEvent) bool {
			fits := left[ev.QP]
			delete(left, ev.QP)
			return fits
		})
	}
}

func xrcLastHandle(e *env) {
	c := conf().ShortTimeout()
	a, b := e.xrcPair(c)
	h := b.opened()
	e.close(b.QP)
	b.PostRecv(recv{ID: 1}, recv{ID: 2})
	a.Post(send{Op: opSend, Flags: signaled})
	b.RecvCQ.Expect(1, verbs.WCSuccess)
	a.SendCQ.Expect(0, verbs.WCSuccess)
	h.IsIn(verbs.QPRTS)
	e.close(h.QP)
	_, err := b.XRCD.OpenQP(b.QP.QPNum())
	e.refused("open_qp of a QP that is gone", err, syscall.EINVAL)
	a.Post(send{ID: 3, Op: opSend})
	a.SendCQ.Expect(3, verbs.WCRetryExcErr)
}

package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

func xrcNames(e *env) {
	a, b := e.xrcPair(conf())
	b.recv(recv{id: 1})
	a.post(send{op: opSend, flags: signaled})
	a.sendCQ.gives(0, verbs.WCSuccess)
	b.recvCQ.gives(1, verbs.WCSuccess)
	c, d := e.pair(conf())
	d.recv(recv{id: 2})
	c.post(send{op: opSend, srq: 0xbad})
	d.recvCQ.gives(2, verbs.WCSuccess)
}

func xrcSelects(e *env) {
	a, b := e.xrcPair(conf())
	other := *b
	other.srq = b.xrcSRQ(b.recvCQ)
	nums := []uint32{e.numOf(b.srq), e.numOf(other.srq)}
	for i := range uint64(3) {
		b.recv(recv{id: 10 + i})
		other.recv(recv{id: 20 + i})
	}
	for i, which := range []int{0, 1, 1, 0, 1, 0} {
		a.post(send{id: uint64(i), op: opSend, flags: signaled, srq: nums[which]})
		a.sendCQ.gives(uint64(i), verbs.WCSuccess)
		b.recvCQ.gives([]uint64{10, 20, 21, 11, 22, 12}[i], verbs.WCSuccess)
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
	c.access, c.qpAccess = allRights|verbs.AccessRemoteAtomic, allRights|verbs.AccessRemoteAtomic
	a, b := e.xrcPair(c)
	b.mem[0] = 5
	for _, op := range []verbs.Opcode{verbs.OpAtomicFetchAndAdd, verbs.OpAtomicCmpAndSwp} {
		w := send{id: 1, op: op, flags: signaled, sges: []verbs.SGE{a.sge(0, 8)}, compareAdd: 5, swap: 7}.toward(b, 0)
		a.post(w)
		a.sendCQ.gives(1, verbs.WCSuccess)
	}
	e.holds(b.mem[:2], "\x0a\x00") // 5 added to 5, and no 5 to swap
	c.qpAccess = verbs.AccessRemoteRead
	a, b = e.xrcPair(c)
	a.post(send{id: 2, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
	a.sendCQ.gives(2, verbs.WCRemInvReqErr)
	a, b = e.xrcPair(conf())
	a.post(send{id: 3, sges: []verbs.SGE{a.sge(0, 8)}}.into(b.foreign(), 0))
	a.sendCQ.gives(3, verbs.WCRemAccessErr)
}

func xrcCompletion(e *env) {
	a, b := e.xrcPair(conf())
	b.recv(recv{id: 77, sges: []verbs.SGE{b.sge(0, 100)}})
	a.post(send{op: opSend, sges: []verbs.SGE{a.sge(0, 40)}})
	wc := b.recvCQ.gives(77, verbs.WCSuccess)
	if wc.QPNum != b.qp.QPNum() || wc.Opcode != verbs.WCRecv || wc.ByteLen != 40 || wc.Flags != 0 {
		e.Errorf("%+v, the QP is %#x", wc, b.qp.QPNum())
	}
}

func xrcWrongSRQ(e *env) {
	_, other := e.xrcSides(conf())
	for _, op := range []verbs.Opcode{opSend, opWrite} {
		a, b := e.xrcPair(conf())
		twin := *b
		twin.xrcd = e.xrcd(b.ctx)
		foreign := twin.xrcSRQ(b.recvCQ)
		basic := b.newSRQ(verbs.SRQAttr{MaxWR: 1, MaxSGE: 1})
		for _, num := range []uint32{0xffffff, e.numOf(foreign), e.numOf(basic), e.numOf(other.srq) + 1000} {
			a.post(send{id: 1, op: op, srq: num, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
			a.sendCQ.gives(1, verbs.WCRemInvReqErr)
			a.comesTo(verbs.QPErr)
			a.recover(b)
		}
		b.recv(recv{id: 2})
		a.post(send{op: opSend})
		b.recvCQ.gives(2, verbs.WCSuccess)
	}
}

func xrcEmptySRQ(e *env) {
	c := conf()
	c.rnrRetry = 1
	a, b := e.xrcPair(c)
	a.post(send{id: 1, op: opSend})
	a.sendCQ.gives(1, verbs.WCRNRRetryExcErr)
	b.isIn(verbs.QPRTS)
	a, b = e.xrcPair(conf())
	a.post(send{id: 2, op: opSend, flags: signaled})
	a.sendCQ.staysEmpty()
	b.recv(recv{id: 3})
	b.recvCQ.gives(3, verbs.WCSuccess)
	a.sendCQ.gives(2, verbs.WCSuccess)
}

// opened opens a further handle of the side's QP.
func (s *side) opened() *side {
	s.Helper()
	twin := *s
	h, err := s.xrcd.OpenQP(s.qp.QPNum())
	twin.qp = own(s.env, h, err)
	return &twin
}

func xrcOpened(e *env) {
	a, b := e.xrcPair(conf())
	if h := b.opened(); h.qp.QPNum() != b.qp.QPNum() {
		e.Errorf("the handle is of QP %#x, not %#x", h.qp.QPNum(), b.qp.QPNum())
	}
	further := e.sideOn(b.ctx, conf())
	for _, num := range []uint32{b.qp.QPNum() ^ 0x800000, further.qp.QPNum(), 0} {
		_, err := b.xrcd.OpenQP(num)
		e.refused("open_qp", err, syscall.EINVAL)
	}
	b.recv(recv{id: 1})
	a.post(send{op: opSend})
	b.recvCQ.gives(1, verbs.WCSuccess)
}

func xrcHandles(e *env) {
	a, b := e.xrcSides(conf())
	h := b.opened()
	for i, state := range path(verbs.QPRTS) {
		a.to(state, b)
		[]*side{b, h}[i%2].to(state, a)
		b.isIn(state)
		h.isIn(state)
	}
	h.to(verbs.QPErr, a)
	b.isIn(verbs.QPErr)
	left := map[verbs.QP]bool{b.qp: true, h.qp: true}
	for range 2 {
		e.event(b.ctx, verbs.EventQPLastWQE, func(ev verbs.AsyncEvent) bool {
			fits := left[ev.QP]
			delete(left, ev.QP)
			return fits
		})
	}
}

func xrcLastHandle(e *env) {
	c := conf().impatient()
	a, b := e.xrcPair(c)
	h := b.opened()
	e.close(b.qp)
	b.recv(recv{id: 1}, recv{id: 2})
	a.post(send{op: opSend, flags: signaled})
	b.recvCQ.gives(1, verbs.WCSuccess)
	a.sendCQ.gives(0, verbs.WCSuccess)
	h.isIn(verbs.QPRTS)
	e.close(h.qp)
	_, err := b.xrcd.OpenQP(b.qp.QPNum())
	e.refused("open_qp of a QP that is gone", err, syscall.EINVAL)
	a.post(send{id: 3, op: opSend})
	a.sendCQ.gives(3, verbs.WCRetryExcErr)
}

package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// What QPs do that take their receives from an SRQ.

func srqPosting(e *env) {
	a, b := e.pair(conf().onSRQ())
	bad, err := b.tryRecv(recv{id: 1}, recv{id: 2, sges: make([]verbs.SGE, sgeMax)}, recv{id: 3})
	e.refused("post_srq_recv with too many SGEs", err, syscall.EINVAL)
	if bad != 1 {
		e.Errorf("bad_wr is receive %d, want 1", bad)
	}
	n := 1
	for ; ; n++ {
		bad, err = b.tryRecv(recv{id: uint64(n + 1)})
		if err != nil {
			break
		}
		if n == 1<<12 {
			e.Fatal("the SRQ takes everything")
		}
	}
	e.refused("post_srq_recv to a full queue", err, syscall.ENOMEM)
	if bad != 0 || n < b.conf.srq {
		e.Errorf("bad_wr %d after %d receives", bad, n)
	}
	b.received(a, 1, n)
	b.recv(recv{id: 100}, recv{id: 101})
	b.received(a, 100, 2)
}

func srqShared(e *env) {
	a, b := e.pair(conf().onSRQ())
	c, d := b.another()
	for i := range 6 {
		b.recv(recv{id: uint64(i), sges: []verbs.SGE{b.sge(i, 1)}})
	}
	copy(a.mem, "abcdef")
	copy(c.mem, "abcdef")
	legs := [][2]*side{{a, b}, {c, d}, {c, d}, {a, b}, {c, d}, {a, b}}
	for i, leg := range legs {
		from, to := leg[0], leg[1]
		from.post(send{op: opSend, flags: signaled, sges: []verbs.SGE{from.sge(i, 1)}})
		wc := to.recvCQ.gives(uint64(i), verbs.WCSuccess)
		if wc.QPNum != to.qp.QPNum() || wc.ByteLen != 1 || wc.Opcode != verbs.WCRecv {
			e.Errorf("%+v, the QP is %#x", wc, to.qp.QPNum())
		}
		from.sendCQ.gives(0, verbs.WCSuccess)
	}
	e.holds(b.mem[:6], "abcdef")
	b.recvCQ.empty()
	d.recvCQ.empty()
}

func srqEmpty(e *env) {
	for _, op := range []verbs.Opcode{opSend, opWriteImm} {
		c := conf().onSRQ()
		c.rnrRetry = 1
		a, b := e.pair(c)
		a.post(send{id: 1, op: op}.toward(b, 0), send{id: 2}.toward(b, 0))
		a.sendCQ.gives(1, verbs.WCRNRRetryExcErr)
		a.sendCQ.gives(2, verbs.WCWRFlushErr)
		b.isIn(verbs.QPRTS)
		c.rnrRetry = 7
		a, b = e.pair(c)
		a.post(send{id: 3, op: op, flags: signaled}.toward(b, 0))
		a.sendCQ.staysEmpty()
		b.recv(recv{id: 4})
		b.recvCQ.gives(4, verbs.WCSuccess)
		a.sendCQ.gives(3, verbs.WCSuccess)
		c.rnrTimer = longestRNR
		e.notTaken(c, op)
	}
}

// notTaken checks that a receive which comes for a sender that waits, and gives up
// before it tries again, is there for the next.
func (e *env) notTaken(c config, op verbs.Opcode) {
	e.Helper()
	a, b := e.pair(c)
	a.post(send{id: 5, op: op, flags: signaled}.toward(b, 0))
	a.sendCQ.staysEmpty()
	b.recv(recv{id: 6})
	a.to(verbs.QPErr, b)
	if a.sendCQ.of(5).Status == verbs.WCSuccess {
		return // on a machine so slow that it did try again
	}
	a.recover(b)
	a.post(send{id: 7, op: op}.toward(b, 0))
	b.recvCQ.gives(6, verbs.WCSuccess)
}

func srqBusy(e *env) {
	s := e.side(conf().onSRQ())
	e.refused("destroy_srq", s.srq.Close(), syscall.EBUSY)
	s.recv(recv{id: 1})
	e.close(s.qp)
	e.close(s.srq)
}

func srqTypes(e *env) {
	s := e.side(conf().onSRQ())
	for _, typ := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUD} {
		qp, err := s.createOnSRQ(typ)
		e.ok(err)
		e.ok(qp.Close())
	}
	qp, err := s.createOnSRQ(verbs.QPTypeUC)
	if err == nil {
		e.ok(qp.Close())
	}
	agree(e, "Q19", "a UC QP on an SRQ is made", err == nil, false, true)
	if err != nil {
		e.refused("create_qp", err, syscall.EINVAL, verbs.ErrNotSupported)
	}
}

// createOnSRQ tries to make a QP of the type on the side's SRQ.
func (s *side) createOnSRQ(typ verbs.QPType) (verbs.QP, error) {
	return s.pd.CreateQP(&verbs.QPInitAttr{
		SendCQ: s.sendCQ.CQ, RecvCQ: s.recvCQ.CQ, SRQ: s.srq, Cap: s.conf.cap, Type: typ,
	})
}

func srqIgnoresCap(e *env) {
	c := conf().onSRQ()
	d := e.device(e.open())
	c.cap.MaxRecvWR, c.cap.MaxRecvSGE = 16*d.MaxQPWR, 16*d.MaxSGE
	a, b := e.pair(c)
	b.recv(recv{id: 1})
	b.received(a, 1, 1)
}

func srqLastWQE(e *env) {
	a, b := e.pair(conf().onSRQ())
	b.recv(recv{id: 1})
	b.to(verbs.QPErr, a)
	e.raised("Q33", b, verbs.EventQPLastWQE)
}

func srqShortReceive(e *env) {
	a, b := e.pair(conf().onSRQ())
	c, d := b.another()
	b.recv(recv{id: 1, sges: []verbs.SGE{b.sge(0, 16)}}, recv{id: 2})
	a.post(send{id: 3, op: opSend, sges: []verbs.SGE{a.sge(0, 64)}})
	agree(e, "Q05", "the request", a.sendCQ.of(3).Status, verbs.WCRemInvReqErr, verbs.WCRemOpErr)
	agree(e, "Q05", "the receive", b.recvCQ.of(1).Status, verbs.WCLocLenErr, verbs.WCLocQPOpErr)
	b.comesTo(verbs.QPErr)
	d.received(c, 2, 1)
	b.recvCQ.empty()
}

func srqBasic(e *env) {
	a, b := e.pair(conf().onSRQ())
	if _, err := b.srq.Num(); err != nil {
		e.refused("get_srq_num", err, verbs.ErrNotSupported)
	}
	b.recv(recv{id: 1})
	b.received(a, 1, 1)
}

func recvBesideSRQ(e *env) {
	_, b := e.pair(conf().onSRQ())
	b.srq = nil
	bad, err := b.tryRecv(recv{id: 1})
	e.refused("post_recv", err, syscall.EINVAL)
	agree(e, "Q30", "bad_wr is receive", bad, 0, -1)
}

func queriedOnSRQ(e *env) {
	s := e.side(conf().onSRQ())
	_, init, err := s.qp.Query(verbs.MaskCap)
	e.ok(err)
	if init.Cap.MaxRecvWR != 0 || init.Cap.MaxRecvSGE != 0 || init.SRQ != s.srq {
		e.Errorf("%+v", init)
	}
}

func srqOutlivesQP(e *env) {
	a, b := e.pair(conf().onSRQ())
	c, d := b.another()
	b.recv(recv{id: 1}, recv{id: 2}, recv{id: 3})
	b.received(a, 1, 1)
	b.to(verbs.QPErr, a)
	b.recvCQ.staysEmpty()
	d.received(c, 2, 2)
	b.recvCQ.empty()
}

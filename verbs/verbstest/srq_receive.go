package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// QPs with receives of an SRQ.

func srqPosting(e *env) {
	a, b := e.pair(conf().OnSRQ())
	bad, err := b.TryPostRecv(recv{ID: 1}, recv{ID: 2, SGEs: make([]verbs.SGE, fixture.MaxListSGE)}, recv{ID: 3})
	e.refused("post_srq_recv with too many SGEs", err, syscall.EINVAL)
	if bad != 1 {
		e.Errorf("bad_wr is receive %d, want 1", bad)
	}
	n := 1
	for ; ; n++ {
		bad, err = b.TryPostRecv(recv{ID: uint64(n + 1)})
		if err != nil {
			break
		}
		if n == 1<<12 {
			e.Fatal("the SRQ takes everything")
		}
	}
	e.refused("post_srq_recv to a full queue", err, syscall.ENOMEM)
	if bad != 0 || n < b.Config.SRQ {
		e.Errorf("bad_wr %d after %d receives", bad, n)
	}
	b.received(a, 1, n)
	b.PostRecv(recv{ID: 100}, recv{ID: 101})
	b.received(a, 100, 2)
}

func srqShared(e *env) {
	a, b := e.pair(conf().OnSRQ())
	c, d := b.another()
	for i := range 6 {
		b.PostRecv(recv{ID: uint64(i), SGEs: []verbs.SGE{b.SGE(i, 1)}})
	}
	copy(a.Mem, "abcdef")
	copy(c.Mem, "abcdef")
	legs := [][2]*side{{a, b}, {c, d}, {c, d}, {a, b}, {c, d}, {a, b}}
	for i, leg := range legs {
		from, to := leg[0], leg[1]
		from.Post(send{Op: opSend, Flags: signaled, SGEs: []verbs.SGE{from.SGE(i, 1)}})
		wc := to.RecvCQ.Expect(uint64(i), verbs.WCSuccess)
		if wc.QPNum != to.QP.QPNum() || wc.ByteLen != 1 || wc.Opcode != verbs.WCRecv {
			e.Errorf("%+v, the QP is %#x", wc, to.QP.QPNum())
		}
		from.SendCQ.Expect(0, verbs.WCSuccess)
	}
	e.holds(b.Mem[:6], "abcdef")
	b.RecvCQ.ExpectEmpty()
	d.RecvCQ.ExpectEmpty()
}

func srqEmpty(e *env) {
	for _, op := range []verbs.Opcode{opSend, opWriteImm} {
		c := conf().OnSRQ()
		c.RNRRetry = 1
		a, b := e.pair(c)
		a.Post(send{ID: 1, Op: op}.Toward(b, 0), send{ID: 2}.Toward(b, 0))
		a.SendCQ.Expect(1, verbs.WCRNRRetryExcErr)
		a.SendCQ.Expect(2, verbs.WCWRFlushErr)
		b.IsIn(verbs.QPRTS)
		c.RNRRetry = 7
		a, b = e.pair(c)
		a.Post(send{ID: 3, Op: op, Flags: signaled}.Toward(b, 0))
		a.SendCQ.StaysEmpty()
		b.PostRecv(recv{ID: 4})
		b.RecvCQ.Expect(4, verbs.WCSuccess)
		a.SendCQ.Expect(3, verbs.WCSuccess)
		c.RNRTimer = longestRNR
		e.notTaken(c, op)
	}
}

// notTaken checks that a receive stays posted if the sender that waited for it gives up before it
// retries, and that the next message takes it.
func (e *env) notTaken(c config, op verbs.Opcode) {
	e.Helper()
	a, b := e.pair(c)
	a.Post(send{ID: 5, Op: op, Flags: signaled}.Toward(b, 0))
	a.SendCQ.StaysEmpty()
	b.PostRecv(recv{ID: 6})
	a.To(verbs.QPErr, b)
	if a.SendCQ.WaitFor(5).Status == verbs.WCSuccess {
		return // a slow machine: the sender has retried
	}
	fixture.Recover(a, b)
	a.Post(send{ID: 7, Op: op}.Toward(b, 0))
	b.RecvCQ.Expect(6, verbs.WCSuccess)
}

func srqBusy(e *env) {
	s := e.side(conf().OnSRQ())
	e.refused("destroy_srq", s.SRQ.Close(), syscall.EBUSY)
	s.PostRecv(recv{ID: 1})
	e.close(s.QP)
	e.close(s.SRQ)
}

func srqTypes(e *env) {
	s := e.side(conf().OnSRQ())
	for _, typ := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUD} {
		qp, err := s.createOnSRQ(typ)
		if errors.Is(err, verbs.ErrNotSupported) {
			e.leaveOut("the device offers no " + typ.String())
			continue
		}
		e.ok(err)
		e.ok(qp.Close())
	}
	qp, err := s.createOnSRQ(verbs.QPTypeUC)
	if err == nil {
		e.ok(qp.Close())
	}
	checkValue(e, "Q19", "a UC QP on an SRQ is made", err == nil, false, true)
	if err != nil {
		e.refused("create_qp", err, syscall.EINVAL, verbs.ErrNotSupported)
	}
}

// createOnSRQ tries to make a QP of the type on the side's SRQ.
func (s *side) createOnSRQ(typ verbs.QPType) (verbs.QP, error) {
	return s.PD.CreateQP(&verbs.QPInitAttr{
		SendCQ: s.SendCQ.CQ, RecvCQ: s.RecvCQ.CQ, SRQ: s.SRQ, Cap: s.Config.Cap, Type: typ,
	})
}

func srqIgnoresCap(e *env) {
	c := conf().OnSRQ()
	d := e.device(e.open())
	c.Cap.MaxRecvWR, c.Cap.MaxRecvSGE = 16*d.MaxQPWR, 16*d.MaxSGE
	a, b := e.pair(c)
	b.PostRecv(recv{ID: 1})
	b.received(a, 1, 1)
}

func srqLastWQE(e *env) {
	a, b := e.pair(conf().OnSRQ())
	b.PostRecv(recv{ID: 1})
	b.To(verbs.QPErr, a)
	e.raised("Q33", b, verbs.EventQPLastWQE)
}

func srqShortReceive(e *env) {
	a, b := e.pair(conf().OnSRQ())
	c, d := b.another()
	b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{b.SGE(0, 16)}}, recv{ID: 2})
	a.Post(send{ID: 3, Op: opSend, SGEs: []verbs.SGE{a.SGE(0, 64)}})
	checkValue(e, "Q05", "the request", a.SendCQ.WaitFor(3).Status, verbs.WCRemInvReqErr, verbs.WCRemOpErr)
	checkValue(e, "Q05", "the receive", b.RecvCQ.WaitFor(1).Status, verbs.WCLocLenErr, verbs.WCLocQPOpErr)
	b.Reaches(verbs.QPErr)
	d.received(c, 2, 1)
	b.RecvCQ.ExpectEmpty()
}

func srqBasic(e *env) {
	a, b := e.pair(conf().OnSRQ())
	if _, err := b.SRQ.Num(); err != nil {
		e.refused("get_srq_num", err, verbs.ErrNotSupported)
	}
	b.PostRecv(recv{ID: 1})
	b.received(a, 1, 1)
}

func recvBesideSRQ(e *env) {
	_, b := e.pair(conf().OnSRQ())
	b.SRQ = nil
	bad, err := b.TryPostRecv(recv{ID: 1})
	e.refused("post_recv", err, syscall.EINVAL)
	checkValue(e, "Q30", "bad_wr is receive", bad, 0, -1)
}

func queriedOnSRQ(e *env) {
	s := e.side(conf().OnSRQ())
	_, init, err := s.QP.Query(verbs.MaskCap)
	e.ok(err)
	if init.Cap.MaxRecvWR != 0 || init.Cap.MaxRecvSGE != 0 || init.SRQ != s.SRQ {
		e.Errorf("%+v", init)
	}
}

func srqOutlivesQP(e *env) {
	a, b := e.pair(conf().OnSRQ())
	c, d := b.another()
	b.PostRecv(recv{ID: 1}, recv{ID: 2}, recv{ID: 3})
	b.received(a, 1, 1)
	b.To(verbs.QPErr, a)
	b.RecvCQ.StaysEmpty()
	d.received(c, 2, 2)
	b.RecvCQ.ExpectEmpty()
}

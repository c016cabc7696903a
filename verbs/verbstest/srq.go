package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

var srqStatements = []statement{
	{"SRQ-1", "max_wr is 1 to max_srq_wr and max_sge at most max_srq_sge; no less is granted", srqSizes},
	{"SRQ-2", "the limit given at creation does no harm", srqCreatedWithLimit},
	{"SRQ-3", "query returns max_wr, max_sge and the limit", srqQueried},
	{"SRQ-4", "a limit of 0 says that no event is armed", srqUnarmed},
	{"SRQ-5", "an armed limit raises one event when fewer receives are left, and is 0 then", srqLimit},
	{"SRQ-6", "a limit above the number of receives raises the event, at the next one taken at the latest", srqLimitAbove},
	{"SRQ-7", "a limit above the capacity is refused and changes nothing", srqLimitTooHigh},
	{"SRQ-8", "the capacity can be changed around what is posted, but not below it", srqResized},
	{"SRQ-9", "modify with no attribute does nothing", srqModifyNothing},
	{"SRQ-10", "a list is posted up to the first bad request; a full queue refuses, and so do too many SGEs", srqPosting},
	{"SRQ-11", "receives go in order to whichever QP a message comes in on, completions to that QP's CQ", srqShared},
	{"SRQ-12", "an empty SRQ is as no receive: RNR_RETRY_EXC_ERR, or success with a receive in time", srqEmpty},
	{"SRQ-13", "an SRQ with a QP is busy", srqBusy},
	{"SRQ-14", "RC and UD take an SRQ, UC does not", srqTypes},
	{"SRQ-15", "the receive capabilities of a QP on an SRQ are ignored", srqIgnoresCap},
	{"SRQ-16", "a QP on an SRQ that goes to ERR raises QP_LAST_WQE_REACHED", srqLastWQE},
	{"SRQ-17", "a message longer than its receive uses up that one", srqShortReceive},
	{"SRQ-18", "a basic SRQ of create_srq_ex is one of create_srq, with or without a number", srqBasic},
}

// newSRQ creates an SRQ in the side's domain.
func (s *side) newSRQ(a verbs.SRQAttr) verbs.SRQ {
	s.Helper()
	srq, err := s.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: a})
	if errors.Is(err, verbs.ErrNotSupported) {
		s.Skip("the device offers no SRQ")
	}
	return own(s.env, srq, err)
}

// onSRQ returns the configuration for QPs on an SRQ.
func (c config) onSRQ() config {
	c.srq = depth
	return c
}

// another makes a further QP on the side's SRQ, with a receive CQ of its own, and
// a peer of it.
func (s *side) another() (peer, further *side) {
	s.Helper()
	twin := *s
	twin.recvCQ = s.queue(s.ctx, s.conf.cqe, nil)
	twin.newQP()
	peer = s.side(s.conf)
	connect(peer, &twin)
	return peer, &twin
}

func (s *side) querySRQ() verbs.SRQAttr {
	s.Helper()
	a, err := s.srq.Query()
	s.ok(err)
	return a
}

// arm sets the SRQ's limit.
func (s *side) arm(limit int) {
	s.Helper()
	s.ok(s.srq.Modify(verbs.SRQAttr{Limit: limit}, verbs.SRQLimit))
}

// limitReached checks whether the SRQ's event comes.
func (s *side) limitReached(want bool) {
	s.Helper()
	limit := patience
	if !want {
		limit = quiet
	}
	got := s.gotEvent(s.ctx, limit, verbs.EventSRQLimitReached, func(ev verbs.AsyncEvent) bool { return ev.SRQ == s.srq })
	if got != want {
		s.Fatalf("the event SRQ_LIMIT_REACHED came: %v, want %v", got, want)
	}
}

// received sends n empty messages from a, whose receives have the ids from first on.
func (s *side) received(a *side, first uint64, n int) {
	s.Helper()
	for id := first; id < first+uint64(n); id++ {
		a.post(send{op: opSend, flags: signaled})
		a.sendCQ.gives(0, verbs.WCSuccess)
		s.recvCQ.gives(id, verbs.WCSuccess)
	}
}

// fillSRQ posts n receives with the ids from first on.
func (s *side) fillSRQ(first uint64, n int) {
	s.Helper()
	for id := first; id < first+uint64(n); id++ {
		s.recv(recv{id: id})
	}
}

func badSRQ(e *env) {
	s := e.side(conf().onSRQ())
	d := e.device(s.ctx)
	for _, a := range []verbs.SRQAttr{
		{MaxWR: 0, MaxSGE: 1}, {MaxWR: d.MaxSRQWR + 1, MaxSGE: 1}, {MaxWR: 1, MaxSGE: d.MaxSRQSGE + 1},
	} {
		srq, err := s.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: a})
		e.refused("create_srq", err, syscall.EINVAL)
		if err == nil {
			e.ok(srq.Close())
		}
	}
}

func srqSizes(e *env) {
	badSRQ(e)
	s := e.side(conf().onSRQ())
	d := e.device(s.ctx)
	for _, a := range []verbs.SRQAttr{{MaxWR: 1, MaxSGE: 1}, {MaxWR: 100, MaxSGE: 0}, {MaxWR: 10, MaxSGE: d.MaxSRQSGE}} {
		init := verbs.SRQInitAttr{Attr: a}
		srq, err := s.pd.CreateSRQ(&init)
		own(e, srq, err)
		got, err := srq.Query()
		e.ok(err)
		for _, g := range []verbs.SRQAttr{init.Attr, got} {
			if g.MaxWR < a.MaxWR || g.MaxSGE < a.MaxSGE {
				e.Errorf("granted %+v of %+v", g, a)
			}
		}
	}
}

func srqCreatedWithLimit(e *env) {
	a, b := e.pair(conf().onSRQ())
	srq := b.newSRQ(verbs.SRQAttr{MaxWR: 10, MaxSGE: 1, Limit: 5})
	c := *b
	c.srq = srq
	c.newQP()
	a.to(verbs.QPReset, b)
	connect(a, &c)
	c.fillSRQ(1, 3)
	c.received(a, 1, 3)
}

func srqQueried(e *env) {
	s := e.side(conf().onSRQ())
	if a := s.querySRQ(); a.MaxWR < depth || a.MaxSGE < maxSGE || a.Limit != 0 {
		e.Errorf("%+v", a)
	}
	s.arm(3)
	if a := s.querySRQ(); a.Limit != 3 {
		e.Errorf("limit %d, set 3", a.Limit)
	}
}

func srqUnarmed(e *env) {
	a, b := e.pair(conf().onSRQ())
	b.fillSRQ(1, 4)
	b.received(a, 1, 4)
	b.arm(2)
	b.arm(0)
	if l := b.querySRQ().Limit; l != 0 {
		e.Errorf("limit %d after it was set to 0", l)
	}
	b.fillSRQ(1, 4)
	b.received(a, 1, 4)
	b.limitReached(false)
}

func srqLimit(e *env) {
	a, b := e.pair(conf().onSRQ())
	b.fillSRQ(1, 10)
	for first := uint64(1); first <= 5; first += 4 {
		b.arm(7)
		if l := b.querySRQ().Limit; l != 7 {
			e.Fatalf("limit %d, set 7", l)
		}
		b.received(a, first, 3)
		b.limitReached(false)
		b.received(a, first+3, 1)
		b.limitReached(true)
		if l := b.querySRQ().Limit; l != 0 {
			e.Errorf("limit %d after the event", l)
		}
		b.fillSRQ(first+10, 4)
	}
	b.received(a, 9, 10)
	b.limitReached(false)
}

func srqLimitAbove(e *env) {
	a, b := e.pair(conf().onSRQ())
	b.fillSRQ(1, 2)
	b.arm(5)
	b.received(a, 1, 1)
	b.limitReached(true)
	b.received(a, 2, 1)
	b.limitReached(false)
}

func srqLimitTooHigh(e *env) {
	s := e.side(conf().onSRQ())
	s.arm(3)
	before := s.querySRQ()
	e.refused("modify_srq", s.srq.Modify(verbs.SRQAttr{Limit: before.MaxWR + 1}, verbs.SRQLimit), syscall.EINVAL)
	if after := s.querySRQ(); after != before {
		e.Errorf("%+v, before %+v", after, before)
	}
}

func srqResized(e *env) {
	a, b := e.pair(conf().onSRQ())
	if e.device(b.ctx).DeviceCapFlags&verbs.DeviceCapSRQResize == 0 {
		e.Skip("the device offers no change of an SRQ's capacity")
	}
	b.fillSRQ(1, 20)
	for _, n := range []int{0, 4} {
		e.refused("modify_srq", b.srq.Modify(verbs.SRQAttr{MaxWR: n}, verbs.SRQMaxWR), syscall.EINVAL)
	}
	b.received(a, 1, 2)
	for _, n := range []int{4 * depth, 25} {
		e.ok(b.srq.Modify(verbs.SRQAttr{MaxWR: n}, verbs.SRQMaxWR))
		if got := b.querySRQ().MaxWR; got < n {
			e.Errorf("max_wr %d, set %d", got, n)
		}
	}
	b.fillSRQ(21, 4)
	b.received(a, 3, 22)
}

func srqModifyNothing(e *env) {
	s := e.side(conf().onSRQ())
	s.arm(3)
	before := s.querySRQ()
	e.ok(s.srq.Modify(verbs.SRQAttr{MaxWR: 1, Limit: 1}, 0))
	if after := s.querySRQ(); after != before {
		e.Errorf("%+v, before %+v", after, before)
	}
}

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
	e.raised("Q06", b, verbs.EventQPLastWQE)
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

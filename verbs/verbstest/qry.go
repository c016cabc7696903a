package verbstest

import "github.com/ibperf/ibperf/verbs"

var qryStatements = []statement{
	{"QRY-1", "what modify set is returned", queriedAsSet},
	{"QRY-2", "the mask is the least that is returned", queryMasks},
	{"QRY-3", "what the QP was created with is returned, with capabilities no less than asked for", queriedAsCreated},
	{"QRY-4", "the capabilities are no less than those that creation granted", queriedCap},
	{"QRY-5", "in INIT: P_Key index, port and access flags", queriedInInit},
	{"QRY-6", "from RTR on: MTU, address, peer, receive PSN, depth and RNR timer", queriedInRTR},
	{"QRY-7", "from RTS on: send PSN, timeout, retries and depth", queriedInRTS},
	{"QRY-8", "depths are no less than what was set", queriedDepths},
	{"QRY-9", "on an idle QP the PSNs are those that were set", queriedPSNs},
	{"QRY-10", "two queries of a QP that drains differ in its state and whether it drains alone", queriedDraining},
	{"QRY-11", "attributes that are not set are 0", queriedUnset},
	{"QRY-12", "the state is the current one after every move", queriedState},
	{"QRY-13", "an idle QP says the same twice", queriedTwice},
	{"QRY-14", "a QP on an SRQ has a receive queue of depth 0", queriedOnSRQ},
}

func queriedAsSet(e *env) {
	c := conf()
	c.timeout, c.retry, c.rnrRetry, c.qpAccess = 18, 3, 2, verbs.AccessRemoteRead
	a, b := e.side(c), e.side(c)
	connect(a, b)
	q := a.query()
	if q.State != verbs.QPRTS || q.Timeout != 18 || q.RetryCnt != 3 || q.RNRRetry != 2 || q.AccessFlags != verbs.AccessRemoteRead {
		e.Errorf("%+v", q)
	}
	s := e.side(conf())
	s.enter(verbs.QPInit, a)
	e.ok(s.qp.Modify(&verbs.QPAttr{State: verbs.QPInit, AccessFlags: allRights}, verbs.MaskState|verbs.MaskAccessFlags))
	if got := s.query().AccessFlags; got != allRights {
		e.Errorf("access flags %s, set %s", got, allRights)
	}
}

func queryMasks(e *env) {
	a, _ := e.pair(conf())
	for _, mask := range []verbs.QPAttrMask{0, verbs.MaskState, verbs.MaskState | verbs.MaskTimeout} {
		q, _, err := a.qp.Query(mask)
		e.ok(err)
		if mask&verbs.MaskState != 0 && q.State != verbs.QPRTS || mask&verbs.MaskTimeout != 0 && q.Timeout != a.conf.timeout {
			e.Errorf("%s: %+v", mask, q)
		}
	}
}

func queriedAsCreated(e *env) {
	for _, sigAll := range []bool{false, true} {
		c := conf()
		c.sigAll = sigAll
		s := e.side(c)
		_, init, err := s.qp.Query(verbs.MaskCap)
		e.ok(err)
		if init.SendCQ != s.sendCQ.CQ || init.RecvCQ != s.recvCQ.CQ || init.SigAll != sigAll ||
			init.Type != verbs.QPTypeRC || init.QPNumber != s.qp.QPNum() {
			e.Errorf("%+v", init)
		}
		if !covers(init.Cap, c.cap) {
			e.Errorf("granted %+v of %+v", init.Cap, c.cap)
		}
	}
}

func queriedCap(e *env) {
	e.eachType(func(e *env, c config) {
		s := e.side(c)
		init := verbs.QPInitAttr{SendCQ: s.sendCQ.CQ, RecvCQ: s.recvCQ.CQ, Cap: c.cap, Type: c.typ}
		qp, err := s.pd.CreateQP(&init)
		own(e, qp, err)
		a, queried, err := qp.Query(verbs.MaskCap)
		e.ok(err)
		if !covers(init.Cap, c.cap) || !covers(queried.Cap, init.Cap) || a.Cap != queried.Cap {
			e.Errorf("asked for %+v, granted %+v, queried %+v and %+v", c.cap, init.Cap, queried.Cap, a.Cap)
		}
	})
}

// covers tells whether no capability is less than wanted.
func covers(got, want verbs.QPCap) bool {
	return got.MaxSendWR >= want.MaxSendWR && got.MaxRecvWR >= want.MaxRecvWR && got.MaxSendSGE >= want.MaxSendSGE &&
		got.MaxRecvSGE >= want.MaxRecvSGE && got.MaxInlineData >= want.MaxInlineData
}

func queriedDraining(e *env) {
	a, b := e.pair(conf())
	a.post(a.numbered(1, 5, b)...)
	e.ok(a.qp.Modify(&verbs.QPAttr{State: verbs.QPSQD}, verbs.MaskState))
	first := a.query()
	e.eventually("sq_draining is 0", func() bool { return !a.query().SQDraining })
	second := a.query()
	for _, q := range []*verbs.QPAttr{&first, &second} {
		if q.State != verbs.QPSQD {
			e.Errorf("state %s", q.State)
		}
		q.SQDraining, q.SQPSN = false, 0 // which is the next one
	}
	if first != second {
		e.Errorf("%+v, then %+v", first, second)
	}
}

func queriedUnset(e *env) {
	c := conf()
	c.psn = 5
	a, b := e.side(c), e.side(c)
	if q := a.query(); q.DestQPNum != 0 || q.RQPSN != 0 || q.SQPSN != 0 || q.Timeout != 0 || q.SQDraining || q.AH.GRH.DGID != (verbs.GID{}) {
		e.Errorf("a new QP: %+v", q)
	}
	connect(a, b)
	a.to(verbs.QPReset, b)
	q := a.query()
	kept := q.DestQPNum != 0 || q.Timeout != 0 || q.RetryCnt != 0 || q.PathMTU != 0 || q.AH.GRH.DGID != (verbs.GID{})
	agree(e, "Q21", "attributes kept over RESET", kept, false, true)
}

func queriedInInit(e *env) {
	a, _ := e.inState(conf(), verbs.QPInit)
	if q := a.query(); q.PKeyIndex != 0 || int(q.PortNum) != e.target.Port || q.AccessFlags != a.conf.qpAccess {
		e.Errorf("%+v", q)
	}
}

func queriedInRTR(e *env) {
	c := conf()
	c.psn = 77
	a, b := e.inState(c, verbs.QPRTR)
	q, want := a.query(), a.addressOf(b)
	if q.PathMTU != a.pathMTU() || q.DestQPNum != b.qp.QPNum() || q.RQPSN != 77 || q.MinRNRTimer != c.rnrTimer ||
		q.MaxDestRdAtomic < c.destRdAtomic {
		e.Errorf("%+v", q)
	}
	if got := q.AH; got.PortNum != want.PortNum || !got.IsGlobal || got.GRH.DGID != want.GRH.DGID ||
		got.GRH.SGIDIndex != want.GRH.SGIDIndex || got.GRH.HopLimit != want.GRH.HopLimit {
		e.Errorf("address %+v, want %+v", got, want)
	}
}

func queriedInRTS(e *env) {
	c := conf()
	c.psn, c.timeout, c.retry, c.rnrRetry = 78, 17, 5, 4
	a, _ := e.inState(c, verbs.QPRTS)
	if q := a.query(); q.SQPSN != 78 || q.Timeout != 17 || q.RetryCnt != 5 || q.RNRRetry != 4 || q.MaxRdAtomic < c.rdAtomic {
		e.Errorf("%+v", q)
	}
}

func queriedDepths(e *env) {
	c := conf()
	c.rdAtomic, c.destRdAtomic = 3, 1
	a, _ := e.pair(c)
	if q := a.query(); q.MaxRdAtomic < 3 || q.MaxDestRdAtomic < 1 {
		e.Errorf("max_rd_atomic %d of 3, max_dest_rd_atomic %d of 1", q.MaxRdAtomic, q.MaxDestRdAtomic)
	}
}

func queriedPSNs(e *env) {
	a, b := e.side(conf()), e.side(conf())
	a.conf.psn, b.conf.psn = 0x123456, 0xfffffe
	connect(a, b)
	if q := a.query(); q.SQPSN != 0x123456 || q.RQPSN != 0xfffffe {
		e.Errorf("sq_psn %#x, rq_psn %#x", q.SQPSN, q.RQPSN)
	}
}

func queriedState(e *env) {
	a, b := e.inState(conf(), verbs.QPReset)
	for _, state := range append(path(verbs.QPSQD), verbs.QPErr, verbs.QPReset, verbs.QPInit) {
		a.to(state, b)
		a.isIn(state)
	}
}

func queriedTwice(e *env) {
	a, b := e.pair(conf())
	a.writesTo(b)
	if x, y := a.query(), a.query(); x != y {
		e.Errorf("%+v, then %+v", x, y)
	}
}

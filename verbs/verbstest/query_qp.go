package verbstest

import (
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var qryStatements = []statement{
	{"QRY-1", "query returns what modify has set", queriedAsSet},
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
	{"QRY-13", "two queries of an idle QP return the same", queriedTwice},
	{"QRY-14", "a QP on an SRQ has a receive queue of depth 0", queriedOnSRQ},
}

func queriedAsSet(e *env) {
	c := conf()
	c.Timeout, c.RetryCnt, c.RNRRetry, c.QPAccess = 18, 3, 2, verbs.AccessRemoteRead
	a, b := e.side(c), e.side(c)
	fixture.Connect(a, b)
	q := a.Query()
	if q.State != verbs.QPRTS || q.Timeout != 18 || q.RetryCnt != 3 || q.RNRRetry != 2 || q.AccessFlags != verbs.AccessRemoteRead {
		e.Errorf("%+v", q)
	}
	s := e.side(conf())
	s.Enter(verbs.QPInit, a)
	e.ok(s.QP.Modify(&verbs.QPAttr{State: verbs.QPInit, AccessFlags: allRights}, verbs.MaskState|verbs.MaskAccessFlags))
	if got := s.Query().AccessFlags; got != allRights {
		e.Errorf("access flags %s, set %s", got, allRights)
	}
}

func queryMasks(e *env) {
	a, _ := e.pair(conf())
	for _, mask := range []verbs.QPAttrMask{0, verbs.MaskState, verbs.MaskState | verbs.MaskTimeout} {
		q, _, err := a.QP.Query(mask)
		e.ok(err)
		if mask&verbs.MaskState != 0 && q.State != verbs.QPRTS || mask&verbs.MaskTimeout != 0 && q.Timeout != a.Config.Timeout {
			e.Errorf("%s: %+v", mask, q)
		}
	}
}

func queriedAsCreated(e *env) {
	for _, sigAll := range []bool{false, true} {
		c := conf()
		c.SigAll = sigAll
		s := e.side(c)
		_, init, err := s.QP.Query(verbs.MaskCap)
		e.ok(err)
		if init.SendCQ != s.SendCQ.CQ || init.RecvCQ != s.RecvCQ.CQ || init.SigAll != sigAll ||
			init.Type != verbs.QPTypeRC || init.QPNumber != s.QP.QPNum() {
			e.Errorf("%+v", init)
		}
		if !covers(init.Cap, c.Cap) {
			e.Errorf("granted %+v of %+v", init.Cap, c.Cap)
		}
	}
}

func queriedCap(e *env) {
	e.eachType(func(e *env, c config) {
		s := e.side(c)
		c = s.Config
		init := verbs.QPInitAttr{SendCQ: s.SendCQ.CQ, RecvCQ: s.RecvCQ.CQ, Cap: c.Cap, Type: c.Type}
		qp, err := s.PD.CreateQP(&init)
		own(e, qp, err)
		a, queried, err := qp.Query(verbs.MaskCap)
		e.ok(err)
		if !covers(init.Cap, c.Cap) || !covers(queried.Cap, init.Cap) || a.Cap != queried.Cap {
			e.Errorf("asked for %+v, granted %+v, queried %+v and %+v", c.Cap, init.Cap, queried.Cap, a.Cap)
		}
	})
}

// covers reports whether no capability is less than wanted.
func covers(got, want verbs.QPCap) bool {
	return got.MaxSendWR >= want.MaxSendWR && got.MaxRecvWR >= want.MaxRecvWR && got.MaxSendSGE >= want.MaxSendSGE &&
		got.MaxRecvSGE >= want.MaxRecvSGE && got.MaxInlineData >= want.MaxInlineData
}

func queriedDraining(e *env) {
	e.needsSQD()
	a, b := e.pair(conf())
	a.Post(a.numbered(1, 5, b)...)
	e.ok(a.QP.Modify(&verbs.QPAttr{State: verbs.QPSQD}, verbs.MaskState))
	first := a.Query()
	fixture.Eventually(e, "sq_draining is 0", func() bool { return !a.Query().SQDraining })
	second := a.Query()
	for _, q := range []*verbs.QPAttr{&first, &second} {
		if q.State != verbs.QPSQD {
			e.Errorf("state %s", q.State)
		}
		q.SQDraining, q.SQPSN = false, 0 // the next PSN
	}
	if first != second {
		e.Errorf("%+v, then %+v", first, second)
	}
}

func queriedUnset(e *env) {
	c := conf()
	c.PSN = 5
	a, b := e.side(c), e.side(c)
	if q := a.Query(); q.DestQPNum != 0 || q.RQPSN != 0 || q.SQPSN != 0 || q.Timeout != 0 || q.SQDraining || q.AH.GRH.DGID != (verbs.GID{}) {
		e.Errorf("a new QP: %+v", q)
	}
	fixture.Connect(a, b)
	a.To(verbs.QPReset, b)
	q := a.Query()
	kept := q.DestQPNum != 0 || q.Timeout != 0 || q.RetryCnt != 0 || q.PathMTU != 0 || q.AH.GRH.DGID != (verbs.GID{})
	checkValue(e, "Q21", "attributes kept over RESET", kept, false, true)
}

func queriedInInit(e *env) {
	a, _ := e.inState(conf(), verbs.QPInit)
	if q := a.Query(); q.PKeyIndex != 0 || int(q.PortNum) != e.target.Port || q.AccessFlags != a.Config.QPAccess {
		e.Errorf("%+v", q)
	}
}

func queriedInRTR(e *env) {
	c := conf()
	c.PSN = 77
	a, b := e.inState(c, verbs.QPRTR)
	q, want := a.Query(), a.AddressOf(b)
	if q.PathMTU != a.PathMTU() || q.DestQPNum != b.QP.QPNum() || q.RQPSN != 77 || q.MinRNRTimer != c.RNRTimer ||
		q.MaxDestRdAtomic < c.DestRdAtomic {
		e.Errorf("%+v", q)
	}
	if got := q.AH; got.PortNum != want.PortNum || !got.IsGlobal || got.GRH.DGID != want.GRH.DGID ||
		got.GRH.SGIDIndex != want.GRH.SGIDIndex || got.GRH.HopLimit != want.GRH.HopLimit {
		e.Errorf("address %+v, want %+v", got, want)
	}
}

func queriedInRTS(e *env) {
	c := conf()
	c.PSN, c.Timeout, c.RetryCnt, c.RNRRetry = 78, 17, 5, 4
	a, _ := e.inState(c, verbs.QPRTS)
	if q := a.Query(); q.SQPSN != 78 || q.Timeout != 17 || q.RetryCnt != 5 || q.RNRRetry != 4 || q.MaxRdAtomic < c.RdAtomic {
		e.Errorf("%+v", q)
	}
}

func queriedDepths(e *env) {
	c := conf()
	c.RdAtomic, c.DestRdAtomic = 3, 1
	a, _ := e.pair(c)
	if q := a.Query(); q.MaxRdAtomic < 3 || q.MaxDestRdAtomic < 1 {
		e.Errorf("max_rd_atomic %d of 3, max_dest_rd_atomic %d of 1", q.MaxRdAtomic, q.MaxDestRdAtomic)
	}
}

func queriedPSNs(e *env) {
	a, b := e.side(conf()), e.side(conf())
	a.Config.PSN, b.Config.PSN = 0x123456, 0xfffffe
	fixture.Connect(a, b)
	if q := a.Query(); q.SQPSN != 0x123456 || q.RQPSN != 0xfffffe {
		e.Errorf("sq_psn %#x, rq_psn %#x", q.SQPSN, q.RQPSN)
	}
}

func queriedState(e *env) {
	a, b := e.inState(conf(), verbs.QPReset)
	for _, state := range append(e.reachable(verbs.QPTypeRC, fixture.Path(verbs.QPSQD)), verbs.QPErr, verbs.QPReset, verbs.QPInit) {
		a.To(state, b)
		a.IsIn(state)
	}
}

func queriedTwice(e *env) {
	a, b := e.pair(conf())
	a.writesTo(b)
	if x, y := a.Query(), a.Query(); x != y {
		e.Errorf("%+v, then %+v", x, y)
	}
}

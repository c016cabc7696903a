package verbstest

import (
	"slices"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var qpsStatements = []statement{
	{"QPS-1", "a new QP is in RESET", newInReset},
	{"QPS-2", "every move up succeeds with the attributes that it requires", movesUp},
	{"QPS-3", "a move without a required attribute is refused and changes nothing", missingAttribute},
	{"QPS-4", "a move with an attribute that it does not allow is refused", extraAttribute},
	{"QPS-5", "every state can be left for RESET and, but for RESET, for ERR", downMoves},
	{"QPS-6", "other moves are refused", illegalMoves},
	{"QPS-7", "a move to the same state needs nothing but the state, nor does no move at all", sameState},
	{"QPS-8", "the current state, if named, must be the right one; states end at ERR", currentState},
	{"QPS-9", "ports that are not there are refused", badPorts},
	{"QPS-10", "RoCE needs a GRH, from a GID that is set", badAddress},
	{"QPS-11", "MTU, timeout and depth have limits", limits},
	{"QPS-12", "so have P_Key index, access flags, retries and responder depth", moreLimits},
	{"QPS-13", "a QP goes to RTR without a receive", rtrWithoutReceive},
	{"QPS-14", "a QP in RTR executes the peer's requests", rtrReceives},
	{"QPS-15", "a peer in RESET, INIT or ERR does not answer", peerOutOfService},
	{"QPS-16", "query_qp returns ERR after the device moved the QP there", failureIsQueried},
	{"QPS-17", "sends below RTS are refused and not queued", sendsTooEarly},
	{"QPS-18", "receives are refused in RESET and kept from INIT on", recvsByState},
	{"QPS-19", "SQD holds sends back and goes on receiving", sqdHolds},
	{"QPS-20", "sends in ERR are flushed", sendsInErr},
	{"QPS-21", "receives in ERR are flushed", recvsInErr},
	{"QPS-22", "a move to ERR flushes everything outstanding once, in order", flush},
	{"QPS-23", "a move to ERR leaves the receives of an SRQ to other QPs", srqOutlivesQP},
	{"QPS-24", "a move to RESET drops everything, and the QP starts afresh", reset},
	{"QPS-25", "a send queue is drained when what had begun is done, and says so if it was asked to", drained},
	{"QPS-26", "sends held back in SQD start when the QP is in RTS again", sqdResumes},
	{"QPS-27", "a send queue that is still draining does not go back to RTS", drainingStays},
	{"QPS-29", "a failed request takes the QP to ERR", failureEndsInErr},
	{"QPS-30", "a QP in ERR is of use again after RESET, under its number", recovery},
	{"QPS-31", "in SQD the path's attributes can be changed", changedInSQD},
	{"QPS-32", "RoCE has no alternate path", alternatePath},
	{"QPS-33", "access flags changed in RTS count for the next request", accessInRTS},
	{"QPS-34", "PSNs have 24 bits, and must be the same at both ends", psns},
	{"QPS-35", "a QP can be destroyed in every state", destroyedInAnyState},
	{"QPS-36", "the next QP has another number", numbersDiffer},
}

func newInReset(e *env) { e.side(conf()).IsIn(verbs.QPReset) }

// eachType runs the statement for RC, UC and UD.
func (e *env) eachType(f func(e *env, c config)) {
	for _, typ := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUC, verbs.QPTypeUD} {
		e.sub(typ.String(), func(e *env) { f(e, conf().WithType(typ)) })
	}
}

func movesUp(e *env) { e.eachType(movesUpOf) }

func movesUpOf(e *env, c config) {
	a, b := e.side(c), e.side(c)
	for _, state := range append(e.reachable(c.Type, fixture.Path(verbs.QPSQD)), verbs.QPRTS) {
		if state == verbs.QPRTS && a.State() >= verbs.QPRTS {
			e.ok(a.QP.Modify(&verbs.QPAttr{State: state}, verbs.MaskState))
		} else {
			a.To(state, b)
		}
		a.IsIn(state)
	}
}

// upMoves are the moves that require attributes.
var upMoves = [][2]verbs.QPState{{verbs.QPReset, verbs.QPInit}, {verbs.QPInit, verbs.QPRTR}, {verbs.QPRTR, verbs.QPRTS}}

func missingAttribute(e *env) { e.eachType(missingOf) }

func missingOf(e *env, c config) {
	for _, m := range upMoves {
		a, b := e.inState(c, m[0])
		attr, mask := a.Move(m[1], b)
		before := a.Query()
		for bit := verbs.MaskState << 1; bit <= verbs.MaskDestQPN; bit <<= 1 {
			if mask&bit == 0 {
				continue
			}
			e.refused(m[1].String()+" without "+bit.String(), a.QP.Modify(attr, mask&^bit), syscall.EINVAL)
			if after := a.Query(); after != before {
				e.Errorf("%s without %s: %+v became %+v", m[1], bit, before, after)
			}
		}
		e.ok(a.QP.Modify(attr, mask))
	}
}

func extraAttribute(e *env) { e.eachType(extraOf) }

// notOf are attributes that no move up of the type accepts.
var notOf = map[verbs.QPType][]verbs.QPAttrMask{
	verbs.QPTypeRC: {verbs.MaskQKey, verbs.MaskCap, verbs.MaskEnSQDNotify},
	verbs.QPTypeUC: {verbs.MaskQKey, verbs.MaskCap, verbs.MaskEnSQDNotify, verbs.MaskTimeout, verbs.MaskMinRNRTimer},
	verbs.QPTypeUD: {verbs.MaskAccessFlags, verbs.MaskCap, verbs.MaskEnSQDNotify, verbs.MaskAV, verbs.MaskDestQPN},
}

func extraOf(e *env, c config) {
	for _, m := range append(upMoves, [2]verbs.QPState{verbs.QPRTS, verbs.QPRTS}) {
		a, b := e.inState(c, m[0])
		attr, mask := a.Move(m[1], b)
		extra := slices.Clone(notOf[c.Type])
		if m[0] == verbs.QPRTS {
			mask = verbs.MaskState
			extra = append(extra, verbs.MaskTimeout, verbs.MaskSQPSN)
		}
		for _, bit := range extra {
			e.refused(m[1].String()+" with "+bit.String(), a.QP.Modify(attr, mask|bit), syscall.EINVAL)
		}
		for _, bit := range []verbs.QPAttrMask{1 << 21, 1 << 30} {
			e.refused(m[1].String()+" with "+bit.String(), a.QP.Modify(attr, mask|bit), verbs.ErrNotSupported)
		}
		a.IsIn(m[0])
	}
}

func downMoves(e *env) {
	a, b := e.side(conf()), e.side(conf())
	for _, from := range e.reachable(verbs.QPTypeRC, states) {
		for _, to := range []verbs.QPState{verbs.QPReset, verbs.QPErr} {
			a.Enter(from, b)
			err := a.QP.Modify(&verbs.QPAttr{State: to}, verbs.MaskState)
			if from == verbs.QPReset && to == verbs.QPErr {
				e.refused("RESET to ERR", err, syscall.EINVAL)
				continue
			}
			e.ok(err)
			a.IsIn(to)
		}
	}
}

// legal are the moves other than those to RESET and ERR.
var legal = map[[2]verbs.QPState]bool{
	{verbs.QPReset, verbs.QPInit}: true, {verbs.QPInit, verbs.QPInit}: true, {verbs.QPInit, verbs.QPRTR}: true,
	{verbs.QPRTR, verbs.QPRTS}: true, {verbs.QPRTS, verbs.QPRTS}: true, {verbs.QPRTS, verbs.QPSQD}: true,
	{verbs.QPSQD, verbs.QPSQD}: true, {verbs.QPSQD, verbs.QPRTS}: true,
}

func illegalMoves(e *env) {
	a, b := e.side(conf()), e.side(conf())
	for _, from := range e.reachable(verbs.QPTypeRC, states) {
		a.Enter(from, b)
		for _, to := range []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD, verbs.QPSQE} {
			if legal[[2]verbs.QPState{from, to}] {
				continue
			}
			attr, mask := a.Move(to, b)
			e.refused(from.String()+" to "+to.String(), a.QP.Modify(attr, mask), syscall.EINVAL)
			a.IsIn(from)
		}
	}
}

func sameState(e *env) {
	a, b := e.side(conf()), e.side(conf())
	for _, state := range e.reachable(verbs.QPTypeRC, []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTS, verbs.QPSQD, verbs.QPErr}) {
		a.Enter(state, b)
		e.ok(a.QP.Modify(&verbs.QPAttr{State: state}, verbs.MaskState))
		a.IsIn(state)
		if state == verbs.QPSQD {
			a.Drain()
		}
	}
	a.Enter(verbs.QPRTS, b)
	e.ok(a.QP.Modify(&verbs.QPAttr{}, 0))
	a.IsIn(verbs.QPRTS)
}

func currentState(e *env) {
	a, b := e.inState(conf(), verbs.QPRTR)
	attr, mask := a.Move(verbs.QPRTS, b)
	attr.CurState = verbs.QPInit
	e.refused("RTR to RTS, cur_qp_state INIT", a.QP.Modify(attr, mask|verbs.MaskCurState), syscall.EINVAL)
	e.refused("to a state above ERR", a.QP.Modify(&verbs.QPAttr{State: verbs.QPErr + 1}, verbs.MaskState), syscall.EINVAL)
	a.IsIn(verbs.QPRTR)
	a.To(verbs.QPRTS, b)
	e.ok(a.QP.Modify(&verbs.QPAttr{State: verbs.QPRTS, CurState: verbs.QPRTS}, verbs.MaskState|verbs.MaskCurState))
	a.IsIn(verbs.QPRTS)
}

func rtrWithoutReceive(e *env) {
	a, b := e.pair(conf())
	a.writesTo(b)
}

func rtrReceives(e *env) {
	a, b := e.inState(conf(), verbs.QPRTR)
	fixture.Fill(b.Mem[:8], 1)
	fixture.Fill(a.Mem[100:108], 2)
	a.PostRecv(recv{ID: 5, SGEs: []verbs.SGE{a.SGE(0, 8)}})
	b.Post(
		send{ID: 1, Op: opSend, Flags: signaled, SGEs: []verbs.SGE{b.SGE(0, 8)}},
		send{ID: 2, Flags: signaled, SGEs: []verbs.SGE{b.SGE(0, 8)}}.Toward(a, 50),
		send{ID: 3, Op: opRead, Flags: signaled, SGEs: []verbs.SGE{b.SGE(20, 8)}}.Toward(a, 100),
	)
	for id := uint64(1); id <= 3; id++ {
		b.SendCQ.Expect(id, verbs.WCSuccess)
	}
	a.RecvCQ.Expect(5, verbs.WCSuccess)
	e.holds(a.Mem[:8], string(b.Mem[:8]))
	e.holds(a.Mem[50:58], string(b.Mem[:8]))
	e.holds(b.Mem[20:28], string(a.Mem[100:108]))
	a.IsIn(verbs.QPRTR)
}

func failureIsQueried(e *env) {
	a, b := e.pair(conf())
	w := send{SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0)
	w.RKey ^= 0x100
	a.refusedByPeer(w)
	a.Reaches(verbs.QPErr)
	b.Reaches(verbs.QPErr)
}

func failureEndsInErr(e *env) {
	a, b := e.pair(conf())
	a.Post(send{ID: 1, SGEs: []verbs.SGE{{Addr: 1, Length: 8, LKey: 0xbad00}}}.Toward(b, 0))
	if wc := a.SendCQ.WaitFor(1); wc.Status == verbs.WCSuccess {
		e.Error("a WRITE from nowhere succeeded")
	}
	a.Reaches(verbs.QPErr)
	b.IsIn(verbs.QPRTS)
}

func recovery(e *env) {
	a, b := e.pair(conf())
	num := a.QP.QPNum()
	for range 5 {
		w := send{SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0)
		w.RKey ^= 0x100
		a.refusedByPeer(w)
		fixture.Recover(a, b)
		a.writesTo(b)
		b.writesTo(a)
	}
	if a.QP.QPNum() != num {
		e.Errorf("qp_num %#x became %#x", num, a.QP.QPNum())
	}
}

func accessInRTS(e *env) {
	a, b := e.pair(conf())
	a.writesTo(b)
	e.ok(b.QP.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState|verbs.MaskAccessFlags))
	a.Post(send{ID: 1, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
	a.SendCQ.Expect(1, verbs.WCRemInvReqErr)
}

func psns(e *env) {
	e.sub("24 bits", func(e *env) {
		c := conf()
		c.PSN = 0xff_000005
		a, b := e.pair(c)
		if q := a.Query(); q.SQPSN != 5 || q.RQPSN != 5 {
			e.Errorf("sq_psn %#x, rq_psn %#x, want 5", q.SQPSN, q.RQPSN)
		}
		a.writesTo(b)
	})
	e.sub("wrap", func(e *env) {
		c := conf()
		c.PSN = 0xfffffd
		a, b := e.pair(c)
		for range 10 {
			a.writesTo(b)
		}
	})
	e.sub("different", func(e *env) {
		a, b := e.side(conf().ShortTimeout()), e.side(conf())
		b.Enter(verbs.QPRTS, a)
		a.Config.PSN = 9
		a.Enter(verbs.QPRTS, b)
		a.timesOut()
	})
}

func destroyedInAnyState(e *env) {
	for _, state := range e.reachable(verbs.QPTypeRC, states) {
		a, b := e.inState(conf(), state)
		a.recvs(state)
		e.close(a.QP)
		a.RecvCQ.Discard()
		a.RecvCQ.StaysEmpty()
		b.IsIn(verbs.QPRTS)
	}
	a, b := e.pair(conf().ShortTimeout())
	a.writesTo(b)
	e.close(b.QP)
	a.timesOut()
}

// recvs posts receives if the state allows it.
func (s *side) recvs(state verbs.QPState) {
	s.Helper()
	if state != verbs.QPReset {
		s.PostRecv(recv{}, recv{})
	}
}

func numbersDiffer(e *env) {
	s := e.side(conf())
	last := s.QP.QPNum()
	for range 30 {
		e.close(s.QP)
		s.NewQP()
		n := s.QP.QPNum()
		if n == last || n == 0 || n >= 1<<24 {
			e.Fatalf("qp_num %#x after %#x", n, last)
		}
		last = n
	}
}

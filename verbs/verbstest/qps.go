package verbstest

import (
	"slices"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
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
	{"QPS-14", "a QP in RTR serves what comes in", rtrReceives},
	{"QPS-15", "a peer in RESET, INIT or ERR does not answer", peerOutOfService},
	{"QPS-16", "query_qp tells of a move to ERR that the device made", failureIsQueried},
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

func newInReset(e *env) { e.side(conf()).isIn(verbs.QPReset) }

// eachType runs the statement for QPs of each type that need no other objects.
func (e *env) eachType(f func(e *env, c config)) {
	for _, typ := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUC, verbs.QPTypeUD} {
		e.sub(typ.String(), func(e *env) { f(e, conf().of(typ)) })
	}
}

func movesUp(e *env) { e.eachType(movesUpOf) }

func movesUpOf(e *env, c config) {
	a, b := e.side(c), e.side(c)
	for _, state := range append(path(verbs.QPSQD), verbs.QPRTS) {
		if state == verbs.QPRTS && a.state() == verbs.QPSQD {
			e.ok(a.qp.Modify(&verbs.QPAttr{State: state}, verbs.MaskState))
		} else {
			a.to(state, b)
		}
		a.isIn(state)
	}
}

// upMoves are the moves that require attributes.
var upMoves = [][2]verbs.QPState{{verbs.QPReset, verbs.QPInit}, {verbs.QPInit, verbs.QPRTR}, {verbs.QPRTR, verbs.QPRTS}}

func missingAttribute(e *env) { e.eachType(missingOf) }

func missingOf(e *env, c config) {
	for _, m := range upMoves {
		a, b := e.inState(c, m[0])
		attr, mask := a.move(m[1], b)
		before := a.query()
		for bit := verbs.MaskState << 1; bit <= verbs.MaskDestQPN; bit <<= 1 {
			if mask&bit == 0 {
				continue
			}
			e.refused(m[1].String()+" without "+bit.String(), a.qp.Modify(attr, mask&^bit), syscall.EINVAL)
			if after := a.query(); after != before {
				e.Errorf("%s without %s: %+v became %+v", m[1], bit, before, after)
			}
		}
		e.ok(a.qp.Modify(attr, mask))
	}
}

func extraAttribute(e *env) { e.eachType(extraOf) }

// notOf are attributes that no move up of the type takes.
var notOf = map[verbs.QPType][]verbs.QPAttrMask{
	verbs.QPTypeRC: {verbs.MaskQKey, verbs.MaskCap, verbs.MaskEnSQDNotify},
	verbs.QPTypeUC: {verbs.MaskQKey, verbs.MaskCap, verbs.MaskEnSQDNotify, verbs.MaskTimeout, verbs.MaskMinRNRTimer},
	verbs.QPTypeUD: {verbs.MaskAccessFlags, verbs.MaskCap, verbs.MaskEnSQDNotify, verbs.MaskAV, verbs.MaskDestQPN},
}

func extraOf(e *env, c config) {
	for _, m := range append(upMoves, [2]verbs.QPState{verbs.QPRTS, verbs.QPRTS}) {
		a, b := e.inState(c, m[0])
		attr, mask := a.move(m[1], b)
		extra := slices.Clone(notOf[c.typ])
		if m[0] == verbs.QPRTS {
			mask = verbs.MaskState
			extra = append(extra, verbs.MaskTimeout, verbs.MaskSQPSN)
		}
		for _, bit := range extra {
			e.refused(m[1].String()+" with "+bit.String(), a.qp.Modify(attr, mask|bit), syscall.EINVAL)
		}
		for _, bit := range []verbs.QPAttrMask{1 << 21, 1 << 30} {
			e.refused(m[1].String()+" with "+bit.String(), a.qp.Modify(attr, mask|bit), verbs.ErrNotSupported)
		}
		a.isIn(m[0])
	}
}

func downMoves(e *env) {
	a, b := e.side(conf()), e.side(conf())
	for _, from := range states {
		for _, to := range []verbs.QPState{verbs.QPReset, verbs.QPErr} {
			a.enter(from, b)
			err := a.qp.Modify(&verbs.QPAttr{State: to}, verbs.MaskState)
			if from == verbs.QPReset && to == verbs.QPErr {
				e.refused("RESET to ERR", err, syscall.EINVAL)
				continue
			}
			e.ok(err)
			a.isIn(to)
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
	for _, from := range states {
		a.enter(from, b)
		for _, to := range []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD, verbs.QPSQE} {
			if legal[[2]verbs.QPState{from, to}] {
				continue
			}
			attr, mask := a.move(to, b)
			e.refused(from.String()+" to "+to.String(), a.qp.Modify(attr, mask), syscall.EINVAL)
			a.isIn(from)
		}
	}
}

func sameState(e *env) {
	a, b := e.side(conf()), e.side(conf())
	for _, state := range []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTS, verbs.QPSQD, verbs.QPErr} {
		a.enter(state, b)
		e.ok(a.qp.Modify(&verbs.QPAttr{State: state}, verbs.MaskState))
		a.isIn(state)
		if state == verbs.QPSQD {
			a.drain()
		}
	}
	a.enter(verbs.QPRTS, b)
	e.ok(a.qp.Modify(&verbs.QPAttr{}, 0))
	a.isIn(verbs.QPRTS)
}

func currentState(e *env) {
	a, b := e.inState(conf(), verbs.QPRTR)
	attr, mask := a.move(verbs.QPRTS, b)
	attr.CurState = verbs.QPInit
	e.refused("RTR to RTS, cur_qp_state INIT", a.qp.Modify(attr, mask|verbs.MaskCurState), syscall.EINVAL)
	e.refused("to a state above ERR", a.qp.Modify(&verbs.QPAttr{State: verbs.QPErr + 1}, verbs.MaskState), syscall.EINVAL)
	a.isIn(verbs.QPRTR)
	a.to(verbs.QPRTS, b)
	e.ok(a.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS, CurState: verbs.QPRTS}, verbs.MaskState|verbs.MaskCurState))
	a.isIn(verbs.QPRTS)
}

func rtrWithoutReceive(e *env) {
	a, b := e.pair(conf())
	a.writesTo(b)
}

func rtrReceives(e *env) {
	a, b := e.inState(conf(), verbs.QPRTR)
	fill(b.mem[:8], 1)
	fill(a.mem[100:108], 2)
	a.recv(recv{id: 5, sges: []verbs.SGE{a.sge(0, 8)}})
	b.post(
		send{id: 1, op: opSend, flags: signaled, sges: []verbs.SGE{b.sge(0, 8)}},
		send{id: 2, flags: signaled, sges: []verbs.SGE{b.sge(0, 8)}}.toward(a, 50),
		send{id: 3, op: opRead, flags: signaled, sges: []verbs.SGE{b.sge(20, 8)}}.toward(a, 100),
	)
	for id := uint64(1); id <= 3; id++ {
		b.sendCQ.gives(id, verbs.WCSuccess)
	}
	a.recvCQ.gives(5, verbs.WCSuccess)
	e.holds(a.mem[:8], string(b.mem[:8]))
	e.holds(a.mem[50:58], string(b.mem[:8]))
	e.holds(b.mem[20:28], string(a.mem[100:108]))
	a.isIn(verbs.QPRTR)
}

func failureIsQueried(e *env) {
	a, b := e.pair(conf())
	w := send{sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
	w.rkey ^= 0x100
	a.refusedByPeer(w)
	a.comesTo(verbs.QPErr)
	b.comesTo(verbs.QPErr)
}

func failureEndsInErr(e *env) {
	a, b := e.pair(conf())
	a.post(send{id: 1, sges: []verbs.SGE{{Addr: 1, Length: 8, LKey: 0xbad00}}}.toward(b, 0))
	if wc := a.sendCQ.of(1); wc.Status == verbs.WCSuccess {
		e.Error("a WRITE from nowhere succeeded")
	}
	a.comesTo(verbs.QPErr)
	b.isIn(verbs.QPRTS)
}

func recovery(e *env) {
	a, b := e.pair(conf())
	num := a.qp.QPNum()
	for range 5 {
		w := send{sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
		w.rkey ^= 0x100
		a.refusedByPeer(w)
		a.recover(b)
		a.writesTo(b)
		b.writesTo(a)
	}
	if a.qp.QPNum() != num {
		e.Errorf("qp_num %#x became %#x", num, a.qp.QPNum())
	}
}

func accessInRTS(e *env) {
	a, b := e.pair(conf())
	a.writesTo(b)
	e.ok(b.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState|verbs.MaskAccessFlags))
	a.post(send{id: 1, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
	a.sendCQ.gives(1, verbs.WCRemInvReqErr)
}

func psns(e *env) {
	e.sub("24 bits", func(e *env) {
		c := conf()
		c.psn = 0xff_000005
		a, b := e.pair(c)
		if q := a.query(); q.SQPSN != 5 || q.RQPSN != 5 {
			e.Errorf("sq_psn %#x, rq_psn %#x, want 5", q.SQPSN, q.RQPSN)
		}
		a.writesTo(b)
	})
	e.sub("wrap", func(e *env) {
		c := conf()
		c.psn = 0xfffffd
		a, b := e.pair(c)
		for range 10 {
			a.writesTo(b)
		}
	})
	e.sub("different", func(e *env) {
		a, b := e.side(conf().impatient()), e.side(conf())
		b.enter(verbs.QPRTS, a)
		a.conf.psn = 9
		a.enter(verbs.QPRTS, b)
		a.unanswered()
	})
}

func destroyedInAnyState(e *env) {
	for _, state := range states {
		a, b := e.inState(conf(), state)
		a.recvs(state)
		e.close(a.qp)
		a.recvCQ.discard()
		a.recvCQ.staysEmpty()
		b.isIn(verbs.QPRTS)
	}
	a, b := e.pair(conf().impatient())
	a.writesTo(b)
	e.close(b.qp)
	a.unanswered()
}

// recvs posts receives where the state allows it.
func (s *side) recvs(state verbs.QPState) {
	s.Helper()
	if state != verbs.QPReset {
		s.recv(recv{}, recv{})
	}
}

func numbersDiffer(e *env) {
	s := e.side(conf())
	last := s.qp.QPNum()
	for range 30 {
		e.close(s.qp)
		s.newQP()
		n := s.qp.QPNum()
		if n == last || n == 0 || n >= 1<<24 {
			e.Fatalf("qp_num %#x after %#x", n, last)
		}
		last = n
	}
}

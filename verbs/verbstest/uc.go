package verbstest

import (
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// Statements about UC alone.
var ucStatements = []statement{
	{"QPS-28", "a local error of UC stops sending alone: the QP is in SQE and can go back to RTS", sendQueueError},
	{"RMA-16", "what a UC peer does not take is dropped, and neither side is harmed", droppedByUC},
}

func (e *env) ucPair() (a, b *side) {
	e.Helper()
	return e.pair(conf().WithType(verbs.QPTypeUC))
}

func sendQueueError(e *env) {
	a, b := e.ucPair()
	a.PostRecv(recv{ID: 5})
	a.Post(
		send{ID: 1, Op: opSend, SGEs: []verbs.SGE{a.SGE(a.Config.BufferSize-7, 8)}},
		send{ID: 2, Op: opSend},
	)
	a.failsLocally(1, verbs.WCLocProtErr)
	a.SendCQ.Expect(2, verbs.WCWRFlushErr)
	a.stops()
	checkValue(e, "Q07", "the state", a.State(), verbs.QPSQE, verbs.QPErr)
	if e.hasQuirk("Q07") {
		return
	}
	a.Post(send{ID: 3, Op: opSend})
	a.SendCQ.Expect(3, verbs.WCWRFlushErr)
	b.Post(send{ID: 4, Op: opSend, Flags: signaled})
	b.SendCQ.Expect(4, verbs.WCSuccess)
	a.RecvCQ.Expect(5, verbs.WCSuccess)
	e.ok(a.QP.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
	a.IsIn(verbs.QPRTS)
	a.reaches(b)
}

// reaches checks that messages arrive.
func (s *side) reaches(peer *side) {
	s.Helper()
	fixture.Fill(s.Mem[:50], 77)
	clear(peer.Mem[100:150])
	peer.PostRecv(recv{ID: 78, SGEs: []verbs.SGE{peer.SGE(100, 50)}})
	s.Post(send{ID: 77, Op: opSend, Flags: signaled, SGEs: []verbs.SGE{s.SGE(0, 50)}})
	s.SendCQ.Expect(77, verbs.WCSuccess)
	peer.RecvCQ.Expect(78, verbs.WCSuccess)
	s.holds(peer.Mem[100:150], string(s.Mem[:50]))
}

// dropped posts the request and checks that it succeeds here and does nothing there.
func (s *side) dropped(what string, peer *side, w send) {
	s.Helper()
	fixture.Fill(s.Mem[:8], 1)
	w.ID, w.Flags = 1, signaled
	if w.SGEs == nil {
		w.SGEs = []verbs.SGE{s.SGE(0, 8)}
	}
	before := string(peer.Mem)
	s.Post(w)
	s.SendCQ.Expect(1, verbs.WCSuccess)
	peer.RecvCQ.StaysEmpty()
	if string(peer.Mem) != before {
		s.Errorf("%s: memory changed", what)
	}
	s.IsIn(verbs.QPRTS)
	peer.IsIn(verbs.QPRTS)
	s.reaches(peer)
}

func droppedByUC(e *env) {
	e.sub("no receive", func(e *env) {
		a, b := e.ucPair()
		a.dropped("SEND", b, send{Op: opSend})
		a.dropped("WRITE_WITH_IMM", b, send{Op: opWriteImm}.Toward(b, 0))
	})
	e.sub("wrong key", func(e *env) {
		a, b := e.ucPair()
		w := send{}.Toward(b, 0)
		w.RKey ^= 0x100
		a.dropped("WRITE", b, w)
	})
	e.sub("out of the region", func(e *env) {
		a, b := e.ucPair()
		a.dropped("WRITE", b, send{}.Toward(b, b.Config.BufferSize-7))
	})
	e.sub("no right", func(e *env) {
		c := conf().WithType(verbs.QPTypeUC)
		c.QPAccess = 0
		a, b := e.pair(c)
		a.dropped("WRITE", b, send{}.Toward(b, 0))
	})
	e.sub("no peer", func(e *env) {
		a, b := e.ucPair()
		b.To(verbs.QPReset, a)
		a.Post(send{ID: 1, Op: opSend, Flags: signaled})
		a.SendCQ.Expect(1, verbs.WCSuccess)
		b.Enter(verbs.QPRTS, a)
		a.reaches(b)
		a.Enter(verbs.QPRTS, b)
		a.reaches(b)
	})
}

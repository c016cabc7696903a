package verbstest

import (
	"github.com/ibperf/ibperf/verbs"
)

// Statements about UC alone.
var ucStatements = []statement{
	{"QPS-28", "a local error of UC stops sending alone: the QP is in SQE and can go back to RTS", sendQueueError},
	{"RMA-16", "what a UC peer does not take is dropped, and neither side is harmed", droppedByUC},
}

func (e *env) ucPair() (a, b *side) {
	e.Helper()
	return e.pair(conf().of(verbs.QPTypeUC))
}

func sendQueueError(e *env) {
	a, b := e.ucPair()
	a.recv(recv{id: 5})
	a.post(
		send{id: 1, op: opSend, sges: []verbs.SGE{a.sge(a.conf.size-7, 8)}},
		send{id: 2, op: opSend},
	)
	a.failsHere(1, verbs.WCLocProtErr)
	a.sendCQ.gives(2, verbs.WCWRFlushErr)
	a.stops()
	agree(e, "Q07", "the state", a.state(), verbs.QPSQE, verbs.QPErr)
	if e.quirk("Q07") {
		return
	}
	a.post(send{id: 3, op: opSend})
	a.sendCQ.gives(3, verbs.WCWRFlushErr)
	b.post(send{id: 4, op: opSend, flags: signaled})
	b.sendCQ.gives(4, verbs.WCSuccess)
	a.recvCQ.gives(5, verbs.WCSuccess)
	e.ok(a.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
	a.isIn(verbs.QPRTS)
	a.reaches(b)
}

// reaches checks that messages arrive.
func (s *side) reaches(peer *side) {
	s.Helper()
	fill(s.mem[:50], 77)
	clear(peer.mem[100:150])
	peer.recv(recv{id: 78, sges: []verbs.SGE{peer.sge(100, 50)}})
	s.post(send{id: 77, op: opSend, flags: signaled, sges: []verbs.SGE{s.sge(0, 50)}})
	s.sendCQ.gives(77, verbs.WCSuccess)
	peer.recvCQ.gives(78, verbs.WCSuccess)
	s.holds(peer.mem[100:150], string(s.mem[:50]))
}

// dropped posts the request and checks that it succeeds here and does nothing there.
func (s *side) dropped(what string, peer *side, w send) {
	s.Helper()
	fill(s.mem[:8], 1)
	w.id, w.flags = 1, signaled
	if w.sges == nil {
		w.sges = []verbs.SGE{s.sge(0, 8)}
	}
	before := string(peer.mem)
	s.post(w)
	s.sendCQ.gives(1, verbs.WCSuccess)
	peer.recvCQ.staysEmpty()
	if string(peer.mem) != before {
		s.Errorf("%s: memory changed", what)
	}
	s.isIn(verbs.QPRTS)
	peer.isIn(verbs.QPRTS)
	s.reaches(peer)
}

func droppedByUC(e *env) {
	e.sub("no receive", func(e *env) {
		a, b := e.ucPair()
		a.dropped("SEND", b, send{op: opSend})
		a.dropped("WRITE_WITH_IMM", b, send{op: opWriteImm}.toward(b, 0))
	})
	e.sub("wrong key", func(e *env) {
		a, b := e.ucPair()
		w := send{}.toward(b, 0)
		w.rkey ^= 0x100
		a.dropped("WRITE", b, w)
	})
	e.sub("out of the region", func(e *env) {
		a, b := e.ucPair()
		a.dropped("WRITE", b, send{}.toward(b, b.conf.size-7))
	})
	e.sub("no right", func(e *env) {
		c := conf().of(verbs.QPTypeUC)
		c.qpAccess = 0
		a, b := e.pair(c)
		a.dropped("WRITE", b, send{}.toward(b, 0))
	})
	e.sub("nobody", func(e *env) {
		a, b := e.ucPair()
		b.to(verbs.QPReset, a)
		a.post(send{id: 1, op: opSend, flags: signaled})
		a.sendCQ.gives(1, verbs.WCSuccess)
		b.reconnect(a)
		a.reaches(b)
		a.reconnect(b)
		a.reaches(b)
	})
}

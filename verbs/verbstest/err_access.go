package verbstest

import "github.com/ibperf/ibperf/verbs"

// eight is a request of eight bytes to the start of the peer's buffer.
func eight(op verbs.Opcode) func(a, b *side) send {
	return func(a, b *side) send { return send{op: op, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0) }
}

// from is a WRITE, or another operation, whose local memory is the SGE.
func from(op verbs.Opcode, sge func(a *side) verbs.SGE) func(a, b *side) send {
	return func(a, b *side) send { return send{op: op, sges: []verbs.SGE{sge(a)}}.toward(b, 0) }
}

// badKey returns the SGE with another key.
func badKey(s verbs.SGE, key uint32) verbs.SGE {
	s.LKey = key
	return s
}

func localKey(e *env) {
	x := expected{a: verbs.WCLocProtErr, quirksA: statuses{wrongKey, lostStatus}}
	e.fail(x,
		failure{name: "unknown", request: from(opWrite, func(a *side) verbs.SGE { return badKey(a.sge(0, 8), 0xbad00) })},
		failure{name: "another low byte", request: from(opSend, func(a *side) verbs.SGE {
			return badKey(a.sge(0, 8), a.mr.LKey()^1)
		})},
		failure{name: "another domain", request: from(opWrite, func(a *side) verbs.SGE { return sgeOf(a.foreign(), 0, 8) })},
	)
}

func localRange(e *env) {
	e.fail(expected{a: verbs.WCLocProtErr, quirksA: statuses{lostStatus}},
		failure{name: "WRITE, behind", request: from(opWrite, func(a *side) verbs.SGE { return a.sge(a.conf.size-7, 8) })},
		failure{name: "SEND, before", request: from(opSend, func(a *side) verbs.SGE { return a.sge(-1, 8) })},
	)
	// A READ needs its memory when the answer comes.
	e.fail(expected{a: verbs.WCLocProtErr, late: true},
		failure{name: "READ, unknown key", request: from(opRead, func(a *side) verbs.SGE { return badKey(a.sge(0, 8), 0xbad00) })},
		failure{name: "READ, no LOCAL_WRITE", request: from(opRead, func(a *side) verbs.SGE {
			_, mr := a.region(64, verbs.AccessRemoteRead)
			return sgeOf(mr, 0, 8)
		})},
	)
}

func shortReceive(e *env) {
	x := expected{
		a: verbs.WCRemInvReqErr, quirksA: statuses{{"Q05", verbs.WCRemOpErr}},
		b: verbs.WCLocLenErr, quirksB: statuses{{"Q05", verbs.WCLocQPOpErr}},
	}
	e.fail(x,
		failure{name: "by a byte", request: from(opSend, func(a *side) verbs.SGE { return a.sge(0, 65) })},
		failure{name: "by many packets", request: from(opSendImm, func(a *side) verbs.SGE { return a.sge(0, 20000) })},
	)
}

func badReceive(e *env) {
	x := expected{a: verbs.WCRemOpErr, b: verbs.WCLocProtErr, quirksB: statuses{{"Q05", verbs.WCLocQPOpErr}}}
	into := func(sge func(b *side) verbs.SGE) func(b *side) recv {
		return func(b *side) recv { return recv{sges: []verbs.SGE{sge(b)}} }
	}
	e.fail(x,
		failure{name: "unknown key", request: eight(opSend), receive: into(func(b *side) verbs.SGE { return badKey(b.sge(0, 64), 0xbad00) })},
		failure{name: "out of its region", request: eight(opSend), receive: into(func(b *side) verbs.SGE { return b.sge(b.conf.size-4, 8) })},
		failure{name: "no LOCAL_WRITE", request: eight(opSend), receive: into(func(b *side) verbs.SGE {
			_, mr := b.region(64, verbs.AccessRemoteRead)
			return sgeOf(mr, 0, 64)
		})},
	)
}

func deniedByQP(e *env) {
	e.fail(expected{a: verbs.WCRemInvReqErr, b: verbs.WCWRFlushErr},
		failure{name: "WRITE", request: eight(opWrite), conf: func(c *config) { c.qpAccess = verbs.AccessRemoteRead }},
		failure{name: "READ", request: eight(opRead), conf: func(c *config) { c.qpAccess = verbs.AccessRemoteWrite }},
	)
}

func noDepth(e *env) {
	e.fail(expected{a: verbs.WCRemInvReqErr, b: verbs.WCWRFlushErr},
		failure{name: "READ", request: eight(opRead), conf: func(c *config) { c.destRdAtomic = 0 }})
}

// keyed is a request with a changed remote key.
func keyed(op verbs.Opcode, change func(key uint32) uint32) func(a, b *side) send {
	return func(a, b *side) send {
		w := eight(op)(a, b)
		w.rkey = change(w.rkey)
		return w
	}
}

// toRegion is a request into a region of the peer that has the rights.
func toRegion(op verbs.Opcode, access verbs.Access) func(a, b *side) send {
	return func(a, b *side) send {
		_, mr := b.region(64, access)
		return send{op: op, sges: []verbs.SGE{a.sge(0, 8)}, raddr: mr.Addr(), rkey: mr.LKey()}
	}
}

func remoteKey(e *env) {
	e.fail(expected{a: verbs.WCRemAccessErr, b: verbs.WCWRFlushErr},
		failure{name: "unknown", request: keyed(opWrite, func(uint32) uint32 { return 0xffffff00 })},
		failure{name: "another low byte", request: keyed(opRead, func(key uint32) uint32 { return key ^ 1 })},
		failure{name: "WRITE, no REMOTE_WRITE", request: toRegion(opWrite, verbs.AccessLocalWrite|verbs.AccessRemoteRead)},
		failure{name: "READ, no REMOTE_READ", request: toRegion(opRead, verbs.AccessLocalWrite|verbs.AccessRemoteWrite)},
		failure{name: "no remote right", request: toRegion(opWrite, verbs.AccessLocalWrite)},
		failure{name: "another domain", request: func(a, b *side) send {
			return send{sges: []verbs.SGE{a.sge(0, 8)}}.into(b.foreign(), 0)
		}},
		failure{name: "behind the region", request: func(a, b *side) send {
			return send{sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, b.conf.size-7)
		}},
		failure{name: "deregistered", request: func(a, b *side) send {
			_, mr := b.region(64, allRights)
			w := send{sges: []verbs.SGE{a.sge(0, 8)}}.into(mr, 0)
			b.close(mr)
			return w
		}},
	)
}

func remoteKeyImm(e *env) {
	a, b := e.pair(conf())
	b.recv(recv{id: 100, sges: []verbs.SGE{b.sge(0, 64)}})
	w := keyed(opWriteImm, func(key uint32) uint32 { return key ^ 0x100 })(a, b)
	a.refusedByPeer(w)
	got := b.recvCQ.of(100).Status
	if got == verbs.WCWRFlushErr {
		got = verbs.WCLocAccessErr // either is right
	}
	agree(e, "Q26", "the receive", got, verbs.WCLocAccessErr, verbs.WCRemAccessErr)
	a.comesTo(verbs.QPErr)
	b.comesTo(verbs.QPErr)
}

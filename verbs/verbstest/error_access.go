package verbstest

import (
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// eightBytes returns a function that returns a request of 8 bytes to the start of the peer's buffer.
func eightBytes(op verbs.Opcode) func(a, b *side) send {
	return func(a, b *side) send { return send{Op: op, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0) }
}

// fromSGE returns a function that returns a request with the SGE as its local memory.
func fromSGE(op verbs.Opcode, sge func(a *side) verbs.SGE) func(a, b *side) send {
	return func(a, b *side) send { return send{Op: op, SGEs: []verbs.SGE{sge(a)}}.Toward(b, 0) }
}

// withLKey returns the SGE with another lkey.
func withLKey(s verbs.SGE, key uint32) verbs.SGE {
	s.LKey = key
	return s
}

func localKey(e *env) {
	x := failureStatuses{a: verbs.WCLocProtErr, quirksA: statuses{quirkLKeyStatus, quirkFlushErr}}
	e.fail(x,
		failure{name: "unknown", request: fromSGE(opWrite, func(a *side) verbs.SGE { return withLKey(a.SGE(0, 8), 0xbad00) })},
		failure{name: "another low byte", request: fromSGE(opSend, func(a *side) verbs.SGE {
			return withLKey(a.SGE(0, 8), a.MR.LKey()^1)
		})},
		failure{name: "another domain", request: fromSGE(opWrite, func(a *side) verbs.SGE { return fixture.SGEOf(a.registerInOtherPD(), 0, 8) })},
	)
}

func localRange(e *env) {
	e.fail(failureStatuses{a: verbs.WCLocProtErr, quirksA: statuses{quirkFlushErr}},
		failure{name: "WRITE, behind", request: fromSGE(opWrite, func(a *side) verbs.SGE { return a.SGE(a.Config.BufferSize-7, 8) })},
		failure{name: "SEND, before", request: fromSGE(opSend, func(a *side) verbs.SGE { return a.SGE(-1, 8) })},
	)
	// A READ uses its local memory when the response arrives.
	e.fail(failureStatuses{a: verbs.WCLocProtErr, late: true},
		failure{name: "READ, unknown key", request: fromSGE(opRead, func(a *side) verbs.SGE { return withLKey(a.SGE(0, 8), 0xbad00) })},
		failure{name: "READ, no LOCAL_WRITE", request: fromSGE(opRead, func(a *side) verbs.SGE {
			_, mr := a.Region(64, verbs.AccessRemoteRead)
			return fixture.SGEOf(mr, 0, 8)
		})},
	)
}

func shortReceive(e *env) {
	x := failureStatuses{
		a: verbs.WCRemInvReqErr, quirksA: statuses{{"Q05", verbs.WCRemOpErr}},
		b: verbs.WCLocLenErr, quirksB: statuses{{"Q05", verbs.WCLocQPOpErr}},
	}
	e.fail(x,
		failure{name: "by a byte", request: fromSGE(opSend, func(a *side) verbs.SGE { return a.SGE(0, 65) })},
		failure{name: "by many packets", request: fromSGE(opSendImm, func(a *side) verbs.SGE { return a.SGE(0, 20000) })},
	)
}

func badReceive(e *env) {
	x := failureStatuses{a: verbs.WCRemOpErr, b: verbs.WCLocProtErr, quirksB: statuses{{"Q05", verbs.WCLocQPOpErr}}}
	into := func(sge func(b *side) verbs.SGE) func(b *side) recv {
		return func(b *side) recv { return recv{SGEs: []verbs.SGE{sge(b)}} }
	}
	e.fail(x,
		failure{name: "unknown key", request: eightBytes(opSend), receive: into(func(b *side) verbs.SGE { return withLKey(b.SGE(0, 64), 0xbad00) })},
		failure{name: "out of its region", request: eightBytes(opSend), receive: into(func(b *side) verbs.SGE { return b.SGE(b.Config.BufferSize-4, 8) })},
		failure{name: "no LOCAL_WRITE", request: eightBytes(opSend), receive: into(func(b *side) verbs.SGE {
			_, mr := b.Region(64, verbs.AccessRemoteRead)
			return fixture.SGEOf(mr, 0, 64)
		})},
	)
}

func deniedByQP(e *env) {
	e.fail(failureStatuses{a: verbs.WCRemInvReqErr, b: verbs.WCWRFlushErr},
		failure{name: "WRITE", request: eightBytes(opWrite), conf: func(c *config) { c.QPAccess = verbs.AccessRemoteRead }},
		failure{name: "READ", request: eightBytes(opRead), conf: func(c *config) { c.QPAccess = verbs.AccessRemoteWrite }},
	)
}

func noDepth(e *env) {
	e.fail(failureStatuses{a: verbs.WCRemInvReqErr, b: verbs.WCWRFlushErr},
		failure{name: "READ", request: eightBytes(opRead), conf: func(c *config) { c.DestRdAtomic = 0 }})
}

// withRKey returns a function that returns a request with a changed rkey.
func withRKey(op verbs.Opcode, change func(key uint32) uint32) func(a, b *side) send {
	return func(a, b *side) send {
		w := eightBytes(op)(a, b)
		w.RKey = change(w.RKey)
		return w
	}
}

// toRegion returns a function that returns a request to a region of the peer with the access flags.
func toRegion(op verbs.Opcode, access verbs.Access) func(a, b *side) send {
	return func(a, b *side) send {
		_, mr := b.Region(64, access)
		return send{Op: op, SGEs: []verbs.SGE{a.SGE(0, 8)}, RemoteAddr: mr.Addr(), RKey: mr.LKey()}
	}
}

func remoteKey(e *env) {
	e.fail(failureStatuses{a: verbs.WCRemAccessErr, b: verbs.WCWRFlushErr},
		failure{name: "unknown", request: withRKey(opWrite, func(uint32) uint32 { return 0xffffff00 })},
		failure{name: "another low byte", request: withRKey(opRead, func(key uint32) uint32 { return key ^ 1 })},
		failure{name: "WRITE, no REMOTE_WRITE", request: toRegion(opWrite, verbs.AccessLocalWrite|verbs.AccessRemoteRead)},
		failure{name: "READ, no REMOTE_READ", request: toRegion(opRead, verbs.AccessLocalWrite|verbs.AccessRemoteWrite)},
		failure{name: "no remote right", request: toRegion(opWrite, verbs.AccessLocalWrite)},
		failure{name: "another domain", request: func(a, b *side) send {
			return send{SGEs: []verbs.SGE{a.SGE(0, 8)}}.Into(b.registerInOtherPD(), 0)
		}},
		failure{name: "behind the region", request: func(a, b *side) send {
			return send{SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, b.Config.BufferSize-7)
		}},
		failure{name: "deregistered", request: func(a, b *side) send {
			_, mr := b.Region(64, allRights)
			w := send{SGEs: []verbs.SGE{a.SGE(0, 8)}}.Into(mr, 0)
			b.close(mr)
			return w
		}},
	)
}

func remoteKeyImm(e *env) {
	a, b := e.pair(conf())
	b.PostRecv(recv{ID: 100, SGEs: []verbs.SGE{b.SGE(0, 64)}})
	w := withRKey(opWriteImm, func(key uint32) uint32 { return key ^ 0x100 })(a, b)
	a.refusedByPeer(w)
	got := b.RecvCQ.WaitFor(100).Status
	if got == verbs.WCWRFlushErr {
		got = verbs.WCLocAccessErr // both statuses are legal
	}
	checkValue(e, "Q26", "the receive", got, verbs.WCLocAccessErr, verbs.WCRemAccessErr)
	a.Reaches(verbs.QPErr)
	b.Reaches(verbs.QPErr)
}

package verbstest

import (
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// refusedByPeer posts the request and checks that the peer refuses its key, range or right.
func (s *side) refusedByPeer(w send) {
	s.Helper()
	w.ID = 5
	s.Post(w)
	s.SendCQ.Expect(5, verbs.WCRemAccessErr)
}

func localWrite(e *env) {
	e.sub("READ into it", func(e *env) {
		a, b := e.pair(conf())
		mem, mr := a.Region(64, verbs.AccessRemoteRead)
		fixture.Fill(b.Mem[:8], 1)
		a.Post(send{ID: 1, Op: opRead, SGEs: []verbs.SGE{fixture.SGEOf(mr, 0, 8)}}.Toward(b, 0))
		a.SendCQ.Expect(1, verbs.WCLocProtErr)
		if touched(mem) {
			e.Error("bytes were written")
		}
	})
	e.sub("receive into it", func(e *env) {
		a, b := e.pair(conf())
		mem, mr := b.Region(64, verbs.AccessRemoteRead)
		fixture.Fill(a.Mem[:8], 1)
		b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{fixture.SGEOf(mr, 0, 64)}})
		a.Post(send{ID: 2, Op: opSend, SGEs: []verbs.SGE{a.SGE(0, 8)}})
		a.SendCQ.Expect(2, verbs.WCRemOpErr)
		checkValue(e, "Q05", "the receive", b.RecvCQ.WaitFor(1).Status, verbs.WCLocProtErr, verbs.WCLocQPOpErr)
		if touched(mem) {
			e.Error("bytes were written")
		}
	})
}

// A region in the middle of a buffer, and ranges at its bounds.
const regionAt, regionLen = 1000, 5000

var ranges = []struct {
	name   string
	off, n int
	inside bool
}{
	{"first bytes", 0, 8, true},
	{"last bytes", regionLen - 8, 8, true},
	{"all", 0, regionLen, true},
	{"one byte before", -1, 8, false},
	{"one byte past", regionLen - 7, 8, false},
	{"all and one more", 0, regionLen + 1, false},
	{"behind", regionLen, 1, false},
	{"far behind", 1 << 40, 1, false},
	{"far before", -1 << 40, 8, false},
}

func bounds(e *env) {
	a, b := e.pair(conf())
	buf := b.buffer(8192)
	mr := e.register(b.PD, buf.Bytes()[regionAt:regionAt+regionLen], allRights)
	local := e.register(a.PD, a.Mem[regionAt:regionAt+regionLen], allRights)
	for _, r := range ranges {
		for _, op := range []verbs.Opcode{opWrite, opRead} {
			a.Post(send{ID: 1, Op: op, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, r.n)}}.Into(mr, r.off))
			a.outcome(b, 1, "remote, "+op.String()+", "+r.name, r.inside, verbs.WCRemAccessErr)
		}
		a.Post(send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 1), fixture.SGEOf(local, r.off, r.n)}}.Toward(b, 0))
		a.outcome(b, 1, "local, "+r.name, r.inside, verbs.WCLocProtErr, quirkFlushErr)
	}
}

// outcome checks that the request succeeded, or failed with the status, and
// recovers the pair if it failed.
func (s *side) outcome(peer *side, id uint64, what string, good bool, failure verbs.WCStatus, quirks ...deviation[verbs.WCStatus]) {
	s.Helper()
	got := s.SendCQ.WaitFor(id).Status
	if good {
		checkValueQuirks(s.env, what, got, verbs.WCSuccess)
	} else {
		checkValueQuirks(s.env, what, got, failure, quirks...)
	}
	if got != verbs.WCSuccess {
		fixture.Recover(s, peer)
	}
}

func nothingPlaced(e *env) {
	a, b := e.pair(conf())
	fixture.Fill(a.Mem, 1)
	for _, r := range ranges {
		if r.inside {
			continue
		}
		buf := b.buffer(8192)
		mr := e.register(b.PD, buf.Bytes()[regionAt:regionAt+regionLen], allRights)
		a.refusedByPeer(send{SGEs: []verbs.SGE{a.SGE(0, r.n)}}.Into(mr, r.off))
		if touched(buf.Bytes()) {
			e.Errorf("%s: bytes were written", r.name)
		}
		fixture.Recover(a, b)
	}
}

func rightOfOperation(e *env) {
	a, b := e.pair(conf())
	fixture.Fill(a.Mem[:64], 1)
	lacking := map[verbs.Opcode]verbs.Access{
		opWrite: verbs.AccessLocalWrite | verbs.AccessRemoteRead,
		opRead:  verbs.AccessLocalWrite | verbs.AccessRemoteWrite,
	}
	if e.device(a.Ctx).AtomicCap != verbs.AtomicNone {
		a.Config, b.Config = a.Config.Atomic(), b.Config.Atomic()
		fixture.Recover(a, b)
		lacking[opSwap], lacking[opAdd] = allRights, allRights
	}
	for op, access := range lacking {
		mem, mr := b.Region(64, access)
		a.refusedByPeer(send{Op: op, CompareAdd: 0, Swap: 1, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Into(mr, 0))
		if touched(mem) {
			e.Errorf("%s: bytes were written", op)
		}
		fixture.Recover(a, b)
	}
}

func lkeyAsRKey(e *env) {
	a, b := e.pair(conf())
	_, mr := b.Region(64, verbs.AccessLocalWrite)
	a.refusedByPeer(send{SGEs: []verbs.SGE{a.SGE(0, 8)}, RemoteAddr: mr.Addr(), RKey: mr.LKey()})
}

func foreignKeys(e *env) {
	e.sub("rkey", func(e *env) {
		a, b := e.pair(conf())
		a.refusedByPeer(send{SGEs: []verbs.SGE{a.SGE(0, 8)}}.Into(b.registerInOtherPD(), 0))
	})
	e.sub("lkey", func(e *env) {
		a, b := e.pair(conf())
		a.Post(send{ID: 1, SGEs: []verbs.SGE{fixture.SGEOf(a.registerInOtherPD(), 0, 8)}}.Toward(b, 0))
		a.failsLocally(1, verbs.WCLocProtErr, quirkLKeyStatus)
	})
}

func deadKey(e *env) {
	a, b := e.pair(conf())
	_, mr := b.Region(64, allRights)
	w := send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Into(mr, 0)
	a.Post(w)
	a.SendCQ.Expect(1, verbs.WCSuccess)
	e.close(mr)
	a.refusedByPeer(w)
}

package verbstest

import "github.com/ibperf/ibperf/verbs"

// refusedByPeer posts the request and checks that the peer refuses its key, range or right.
func (s *side) refusedByPeer(w send) {
	s.Helper()
	w.id = 5
	s.post(w)
	s.sendCQ.gives(5, verbs.WCRemAccessErr)
}

func localWrite(e *env) {
	e.sub("READ into it", func(e *env) {
		a, b := e.pair(conf())
		mem, mr := a.region(64, verbs.AccessRemoteRead)
		fill(b.mem[:8], 1)
		a.post(send{id: 1, op: opRead, sges: []verbs.SGE{sgeOf(mr, 0, 8)}}.toward(b, 0))
		a.sendCQ.gives(1, verbs.WCLocProtErr)
		if touched(mem) {
			e.Error("bytes were written")
		}
	})
	e.sub("receive into it", func(e *env) {
		a, b := e.pair(conf())
		mem, mr := b.region(64, verbs.AccessRemoteRead)
		fill(a.mem[:8], 1)
		b.recv(recv{id: 1, sges: []verbs.SGE{sgeOf(mr, 0, 64)}})
		a.post(send{id: 2, op: opSend, sges: []verbs.SGE{a.sge(0, 8)}})
		a.sendCQ.gives(2, verbs.WCRemOpErr)
		agree(e, "Q05", "the receive", b.recvCQ.of(1).Status, verbs.WCLocProtErr, verbs.WCLocQPOpErr)
		if touched(mem) {
			e.Error("bytes were written")
		}
	})
}

// A region in the middle of a buffer, and ranges about its ends.
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
	mr := e.register(b.pd, buf.Bytes()[regionAt:regionAt+regionLen], allRights)
	local := e.register(a.pd, a.mem[regionAt:regionAt+regionLen], allRights)
	for _, r := range ranges {
		for _, op := range []verbs.Opcode{opWrite, opRead} {
			a.post(send{id: 1, op: op, flags: signaled, sges: []verbs.SGE{a.sge(0, r.n)}}.into(mr, r.off))
			a.outcome(b, 1, "remote, "+op.String()+", "+r.name, r.inside, verbs.WCRemAccessErr)
		}
		a.post(send{id: 1, flags: signaled, sges: []verbs.SGE{a.sge(0, 1), sgeOf(local, r.off, r.n)}}.toward(b, 0))
		a.outcome(b, 1, "local, "+r.name, r.inside, verbs.WCLocProtErr, lostStatus)
	}
}

// outcome checks that the request succeeded, or failed with the status, and
// recovers the pair if it failed.
func (s *side) outcome(peer *side, id uint64, what string, good bool, failure verbs.WCStatus, quirks ...instead[verbs.WCStatus]) {
	s.Helper()
	got := s.sendCQ.of(id).Status
	if good {
		agreeByAny(s.env, what, got, verbs.WCSuccess)
	} else {
		agreeByAny(s.env, what, got, failure, quirks...)
	}
	if got != verbs.WCSuccess {
		s.recover(peer)
	}
}

func nothingPlaced(e *env) {
	a, b := e.pair(conf())
	fill(a.mem, 1)
	for _, r := range ranges {
		if r.inside {
			continue
		}
		buf := b.buffer(8192)
		mr := e.register(b.pd, buf.Bytes()[regionAt:regionAt+regionLen], allRights)
		a.refusedByPeer(send{sges: []verbs.SGE{a.sge(0, r.n)}}.into(mr, r.off))
		if touched(buf.Bytes()) {
			e.Errorf("%s: bytes were written", r.name)
		}
		a.recover(b)
	}
}

func rightOfOperation(e *env) {
	a, b := e.pair(conf())
	fill(a.mem[:64], 1)
	lacking := map[verbs.Opcode]verbs.Access{
		opWrite: verbs.AccessLocalWrite | verbs.AccessRemoteRead,
		opRead:  verbs.AccessLocalWrite | verbs.AccessRemoteWrite,
	}
	if e.device(a.ctx).AtomicCap != verbs.AtomicNone {
		a.conf, b.conf = a.conf.atomic(), b.conf.atomic()
		a.recover(b)
		lacking[opSwap], lacking[opAdd] = allRights, allRights
	}
	for op, access := range lacking {
		mem, mr := b.region(64, access)
		a.refusedByPeer(send{op: op, compareAdd: 0, swap: 1, sges: []verbs.SGE{a.sge(0, 8)}}.into(mr, 0))
		if touched(mem) {
			e.Errorf("%s: bytes were written", op)
		}
		a.recover(b)
	}
}

func lkeyAsRKey(e *env) {
	a, b := e.pair(conf())
	_, mr := b.region(64, verbs.AccessLocalWrite)
	a.refusedByPeer(send{sges: []verbs.SGE{a.sge(0, 8)}, raddr: mr.Addr(), rkey: mr.LKey()})
}

func foreignKeys(e *env) {
	e.sub("rkey", func(e *env) {
		a, b := e.pair(conf())
		a.refusedByPeer(send{sges: []verbs.SGE{a.sge(0, 8)}}.into(b.foreign(), 0))
	})
	e.sub("lkey", func(e *env) {
		a, b := e.pair(conf())
		a.post(send{id: 1, sges: []verbs.SGE{sgeOf(a.foreign(), 0, 8)}}.toward(b, 0))
		a.failsHere(1, verbs.WCLocProtErr, wrongKey)
	})
}

func deadKey(e *env) {
	a, b := e.pair(conf())
	_, mr := b.region(64, allRights)
	w := send{id: 1, flags: signaled, sges: []verbs.SGE{a.sge(0, 8)}}.into(mr, 0)
	a.post(w)
	a.sendCQ.gives(1, verbs.WCSuccess)
	e.close(mr)
	a.refusedByPeer(w)
}

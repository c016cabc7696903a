package verbstest

import (
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// invalidation is a request that invalidates an rkey, here or at the peer.
func invalidation(op verbs.Opcode, rkey uint32) send {
	return send{ID: 80, Op: op, Flags: signaled, Set: func(w *verbs.SendWR) { w.SetInvalidate(rkey) }}
}

func localInvalidate(e *env) {
	a, b := e.pair(conf())
	w := b.bound(verbs.MWType2, remoteRights)
	b.Post(invalidation(verbs.OpLocalInv, w.rkey))
	if wc := b.SendCQ.Expect(80, verbs.WCSuccess); wc.Opcode != verbs.WCLocalInv {
		e.Errorf("completion %s, want %s", wc.Opcode, verbs.WCLocalInv)
	}
	w.bind(regionAt, regionLen, remoteRights)
	a.Post(w.aim(send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}, 0))
	a.SendCQ.Expect(1, verbs.WCSuccess)
	b.Post(invalidation(verbs.OpLocalInv, w.rkey))
	b.SendCQ.Expect(80, verbs.WCSuccess)
	a.refusedByPeer(w.aim(send{SGEs: []verbs.SGE{a.SGE(0, 8)}}, 0))
}

// invalidate sends a message that invalidates the window's rkey, and returns the completion of
// its receive.
func (w *window) invalidate(from *side) verbs.WC {
	w.Helper()
	fixture.Fill(from.Mem[:32], 9)
	w.PostRecv(recv{ID: 81, SGEs: []verbs.SGE{w.SGE(0, 64)}})
	r := invalidation(verbs.OpSendWithInv, w.rkey)
	r.SGEs = []verbs.SGE{from.SGE(0, 32)}
	from.Post(r)
	if wc := from.SendCQ.Expect(80, verbs.WCSuccess); wc.Opcode != verbs.WCSend {
		w.Errorf("completion %s, want %s", wc.Opcode, verbs.WCSend)
	}
	wc := w.RecvCQ.Expect(81, verbs.WCSuccess)
	w.holds(w.side.Mem[:32], string(from.Mem[:32]))
	return wc
}

func sendInvalidate(e *env) {
	a, b := e.pair(conf())
	w := b.bound(verbs.MWType2, remoteRights)
	a.Post(w.aim(send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}, 0))
	a.SendCQ.Expect(1, verbs.WCSuccess)
	w.invalidate(a)
	a.refusedByPeer(w.aim(send{SGEs: []verbs.SGE{a.SGE(0, 8)}}, 0))
	e.sub("in one list", func(e *env) {
		a, b := e.pair(conf())
		w := b.bound(verbs.MWType2, remoteRights)
		b.PostRecv(recv{ID: 1})
		write := w.aim(send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}, 0)
		a.Post(write, invalidation(verbs.OpSendWithInv, w.rkey), write)
		a.SendCQ.Expect(1, verbs.WCSuccess)
		a.SendCQ.Expect(80, verbs.WCSuccess)
		a.SendCQ.Expect(1, verbs.WCRemAccessErr)
		b.RecvCQ.Expect(1, verbs.WCSuccess)
	})
}

func windowOfProcess(e *env) {
	a := e.side(conf())
	a.needsWindows(verbs.MWType2)
	p := e.process("window", 0)
	b := a.connectRemote(p.peerConn)
	far := *p.receive().Remote
	through := send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}, RemoteAddr: far.Addr, RKey: far.RKey}
	a.Post(through, invalidation(verbs.OpSendWithInv, far.RKey))
	a.SendCQ.Expect(1, verbs.WCSuccess)
	a.SendCQ.Expect(80, verbs.WCSuccess)
	if got := p.receive().Remote.RKey; got != far.RKey {
		e.Errorf("invalidated rkey %#x, want %#x", got, far.RKey)
	}
	a.Post(send{ID: 2, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
	a.SendCQ.Expect(2, verbs.WCSuccess)
	a.Post(through)
	a.SendCQ.Expect(1, verbs.WCRemAccessErr)
	p.send(message{})
}

func invFlag(e *env) {
	a, b := e.pair(conf())
	w := b.bound(verbs.MWType2, remoteRights)
	wc := w.invalidate(a)
	if wc.Opcode != verbs.WCRecv || wc.ByteLen != 32 {
		e.Errorf("completion %+v", wc)
	}
	flags := wc.Flags & (verbs.WCWithInv | verbs.WCWithImm | verbs.WCIPCsum)
	checkValue(e, "Q38", "wc_flags without GRH", flags, verbs.WCWithInv, verbs.WCIPCsum)
	if got := wc.InvalidatedRKey(); got != w.rkey {
		e.Errorf("invalidated rkey %#x, want %#x", got, w.rkey)
	}
}

func windowBySession(e *env) {
	c := conf()
	c.SendOps = verbs.SendOpLocalInv | verbs.SendOpBindMW | verbs.SendOpSendWithInv | verbs.SendOpRDMAWrite
	a, b := e.pair(c)
	w := b.bound(verbs.MWType2, remoteRights)
	a.Post(w.aim(send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}, 0))
	a.SendCQ.Expect(1, verbs.WCSuccess)
	b.Post(invalidation(verbs.OpLocalInv, w.rkey))
	b.SendCQ.Expect(80, verbs.WCSuccess)
	w.bind(regionAt, regionLen, remoteRights)
	if wc := w.invalidate(a); wc.InvalidatedRKey() != w.rkey {
		e.Errorf("invalidated rkey %#x, want %#x", wc.InvalidatedRKey(), w.rkey)
	}
	a.refusedByPeer(w.aim(send{SGEs: []verbs.SGE{a.SGE(0, 8)}}, 0))
}

func badBinds(e *env) {
	e.bothTypes(func(e *env, t verbs.MWType) {
		for _, c := range []struct {
			name   string
			region verbs.Access
			off, n int
			access verbs.Access
		}{
			{"a region without MW_BIND", verbs.AccessLocalWrite, 0, 64, remoteRights},
			{"a byte too long", bindable, 1, 8192, remoteRights},
			{"before the region", bindable, -1, 64, remoteRights},
			{"REMOTE_WRITE without LOCAL_WRITE", verbs.AccessMWBind, 0, 64, verbs.AccessRemoteWrite},
		} {
			_, b := e.pair(conf())
			w := b.window(t, c.region)
			got := w.tryBind(w.info(c.off, c.n, c.access)).Status
			checkValueQuirks(e, c.name, got, verbs.WCMWBindErr, quirkFlushErr)
		}
	})
}

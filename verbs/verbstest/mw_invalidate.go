package verbstest

import "github.com/ibperf/ibperf/verbs"

// invalidation is a request that makes an rkey invalid, here or at the peer.
func invalidation(op verbs.Opcode, rkey uint32) send {
	return send{id: 80, op: op, flags: signaled, set: func(w *verbs.SendWR) { w.SetInvalidate(rkey) }}
}

func localInvalidate(e *env) {
	a, b := e.pair(conf())
	w := b.bound(verbs.MWType2, remoteRights)
	b.post(invalidation(verbs.OpLocalInv, w.rkey))
	if wc := b.sendCQ.gives(80, verbs.WCSuccess); wc.Opcode != verbs.WCLocalInv {
		e.Errorf("completion %s, want %s", wc.Opcode, verbs.WCLocalInv)
	}
	w.bind(regionAt, regionLen, remoteRights)
	a.post(send{id: 1, flags: signaled, sges: []verbs.SGE{a.sge(0, 8)}}.through(w, 0))
	a.sendCQ.gives(1, verbs.WCSuccess)
	b.post(invalidation(verbs.OpLocalInv, w.rkey))
	b.sendCQ.gives(80, verbs.WCSuccess)
	a.refusedByPeer(send{sges: []verbs.SGE{a.sge(0, 8)}}.through(w, 0))
}

// invalidate sends a message that makes the window's rkey invalid, and returns the
// completion of its receive.
func (w *window) invalidate(from *side) verbs.WC {
	w.Helper()
	fill(from.mem[:32], 9)
	w.recv(recv{id: 81, sges: []verbs.SGE{w.sge(0, 64)}})
	r := invalidation(verbs.OpSendWithInv, w.rkey)
	r.sges = []verbs.SGE{from.sge(0, 32)}
	from.post(r)
	if wc := from.sendCQ.gives(80, verbs.WCSuccess); wc.Opcode != verbs.WCSend {
		w.Errorf("completion %s, want %s", wc.Opcode, verbs.WCSend)
	}
	wc := w.recvCQ.gives(81, verbs.WCSuccess)
	w.holds(w.side.mem[:32], string(from.mem[:32]))
	return wc
}

func sendInvalidate(e *env) {
	a, b := e.pair(conf())
	w := b.bound(verbs.MWType2, remoteRights)
	a.post(send{id: 1, flags: signaled, sges: []verbs.SGE{a.sge(0, 8)}}.through(w, 0))
	a.sendCQ.gives(1, verbs.WCSuccess)
	w.invalidate(a)
	a.refusedByPeer(send{sges: []verbs.SGE{a.sge(0, 8)}}.through(w, 0))
	e.sub("in one list", func(e *env) {
		a, b := e.pair(conf())
		w := b.bound(verbs.MWType2, remoteRights)
		b.recv(recv{id: 1})
		write := send{id: 1, flags: signaled, sges: []verbs.SGE{a.sge(0, 8)}}.through(w, 0)
		a.post(write, invalidation(verbs.OpSendWithInv, w.rkey), write)
		a.sendCQ.gives(1, verbs.WCSuccess)
		a.sendCQ.gives(80, verbs.WCSuccess)
		a.sendCQ.gives(1, verbs.WCRemAccessErr)
		b.recvCQ.gives(1, verbs.WCSuccess)
	})
}

func windowOfProcess(e *env) {
	a := e.side(conf())
	a.needsWindows(verbs.MWType2)
	p := e.process("window", 0)
	b := a.meet(p.line)
	far := *p.hear().Far
	through := send{id: 1, flags: signaled, sges: []verbs.SGE{a.sge(0, 8)}, raddr: far.Addr, rkey: far.RKey}
	a.post(through, invalidation(verbs.OpSendWithInv, far.RKey))
	a.sendCQ.gives(1, verbs.WCSuccess)
	a.sendCQ.gives(80, verbs.WCSuccess)
	if got := p.hear().Far.RKey; got != far.RKey {
		e.Errorf("invalidated rkey %#x, want %#x", got, far.RKey)
	}
	a.post(send{id: 2, flags: signaled, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
	a.sendCQ.gives(2, verbs.WCSuccess)
	a.post(through)
	a.sendCQ.gives(1, verbs.WCRemAccessErr)
	p.tell(message{})
}

func invFlag(e *env) {
	a, b := e.pair(conf())
	w := b.bound(verbs.MWType2, remoteRights)
	wc := w.invalidate(a)
	if wc.Opcode != verbs.WCRecv || wc.ByteLen != 32 {
		e.Errorf("completion %+v", wc)
	}
	flags := wc.Flags & (verbs.WCWithInv | verbs.WCWithImm | verbs.WCIPCsum)
	agree(e, "Q38", "wc_flags without GRH", flags, verbs.WCWithInv, verbs.WCIPCsum)
	if got := wc.InvalidatedRKey(); got != w.rkey {
		e.Errorf("invalidated rkey %#x, want %#x", got, w.rkey)
	}
}

func windowBySession(e *env) {
	c := conf()
	c.sendOps = verbs.SendOpLocalInv | verbs.SendOpBindMW | verbs.SendOpSendWithInv | verbs.SendOpRDMAWrite
	a, b := e.pair(c)
	w := b.bound(verbs.MWType2, remoteRights)
	a.post(send{id: 1, flags: signaled, sges: []verbs.SGE{a.sge(0, 8)}}.through(w, 0))
	a.sendCQ.gives(1, verbs.WCSuccess)
	b.post(invalidation(verbs.OpLocalInv, w.rkey))
	b.sendCQ.gives(80, verbs.WCSuccess)
	w.bind(regionAt, regionLen, remoteRights)
	if wc := w.invalidate(a); wc.InvalidatedRKey() != w.rkey {
		e.Errorf("invalidated rkey %#x, want %#x", wc.InvalidatedRKey(), w.rkey)
	}
	a.refusedByPeer(send{sges: []verbs.SGE{a.sge(0, 8)}}.through(w, 0))
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
			agreeByAny(e, c.name, got, verbs.WCMWBindErr, lostStatus)
		}
	})
}

package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// From ibv_alloc_mw(3), ibv_bind_mw(3), ibv_post_send(3) and ibv_wr_post(3).
var mwStatements = []statement{
	{"MW-1", "a window that is not bound gives access to nothing", unboundWindow},
	{"MW-2", "a bound window gives access to what it was bound to, by its new rkey", boundWindow},
	{"MW-3", "the bounds of a window are exact to the byte", windowBounds},
	{"MW-4", "each right of a window is for its operation alone, whatever rights its region has", windowRights},
	{"MW-5", "type 1: a further bind moves the window; the old rkey is dead", rebound},
	{"MW-6", "type 1: a bind of no bytes ends the access", boundToNothing},
	{"MW-7", "a window that is deallocated gives access to nothing", deallocated},
	{"MW-8", "a window belongs to its domain, which is busy", windowIsOfDomain},
	{"MW-9", "bind_mw takes no window of type 2, and no region of another domain", refusedBinds},
	{"MW-10", "type 2: LOCAL_INV ends the access, and the window can be bound again", localInvalidate},
	{"MW-11", "type 2: SEND_WITH_INV of the peer ends the access before the receive completes", sendInvalidate},
	{"MW-12", "type 2: the window works through the QP that it was bound by alone", windowOfQP},
	{"MW-13", "binding and invalidating work through ibv_wr_post too", windowBySession},
	{"MW-14", "type 2: a window works for another process, whose SEND_WITH_INV ends that", windowOfProcess},
	{"MR-22", "deregistering does not wait for posted receives, which fail when used; a bound window refuses it", deregisterInUse},
	{"MR-23", "inc_rkey changes the lowest 8 bits alone", incRKey},
	{"WC-7", "SEND_WITH_INV: the receive's completion has WITH_INV and the rkey, and no immediate data", invFlag},
	{"ERR-16", "MW_BIND_ERR: a bind that region, range or rights do not allow", badBinds},
}

// bothTypes runs a case for windows of each type.
func (e *env) bothTypes(f func(e *env, t verbs.MWType)) {
	e.sub("type 1", func(e *env) { f(e, verbs.MWType1) })
	e.sub("type 2", func(e *env) { f(e, verbs.MWType2) })
}

// windowCaps are the device's capability flags for each type, one of which suffices.
var windowCaps = map[verbs.MWType]verbs.DeviceCapFlags{
	verbs.MWType1: verbs.DeviceCapMemWindow,
	verbs.MWType2: verbs.DeviceCapMemWindowType2A | verbs.DeviceCapMemWindowType2B,
}

// window is a memory window of a side, and memory that it can be bound to.
type window struct {
	verbs.MW
	*side
	t    verbs.MWType
	mem  []byte
	mr   verbs.BindableMR
	rkey uint32
}

const bindable = verbs.AccessLocalWrite | verbs.AccessMWBind

// needsWindows skips the statement on a device without windows of the type.
func (s *side) needsWindows(t verbs.MWType) {
	s.Helper()
	if _, ok := s.PD.(verbs.MWAllocator); !ok {
		s.Skip("memory windows: the backend has none")
	}
	if s.device(s.Ctx).DeviceCapFlags&windowCaps[t] == 0 {
		s.Skipf("memory windows of type %d: the device has none", t)
	}
}

func (s *side) allocMW(pd verbs.PD, t verbs.MWType) verbs.MW {
	s.Helper()
	mw, err := pd.(verbs.MWAllocator).AllocMW(t)
	return own(s.env, mw, err)
}

// window makes a window of the side with a region of its own.
func (s *side) window(t verbs.MWType, access verbs.Access) *window {
	s.Helper()
	s.needsWindows(t)
	mem, mr := s.Region(8192, access)
	mw := s.allocMW(s.PD, t)
	return &window{MW: mw, side: s, t: t, mem: mem, mr: mr.(verbs.BindableMR), rkey: mw.RKey()}
}

func (w *window) info(off, n int, access verbs.Access) verbs.MWBindInfo {
	return verbs.MWBindInfo{MR: w.mr, Addr: w.mr.Addr() + uint64(off), Length: uint64(n), Access: access}
}

// tryBind posts a bind to the side's QP, as the window's type requires, and returns its completion.
func (w *window) tryBind(info verbs.MWBindInfo) verbs.WC {
	w.Helper()
	if w.t == verbs.MWType1 {
		w.ok(w.Bind(w.QP, &verbs.MWBind{WRID: 70, SendFlags: signaled, Info: info}))
		w.rkey = w.RKey()
	} else {
		w.rkey = verbs.IncRKey(w.rkey)
		w.Post(send{ID: 70, Op: verbs.OpBindMW, Flags: signaled, Set: func(wr *verbs.SendWR) { wr.SetBindMW(w.MW, w.rkey, info) }})
	}
	wc := w.SendCQ.WaitFor(70)
	if w.t == verbs.MWType2 && wc.Status == verbs.WCSuccess {
		w.SetRKey(w.rkey)
	}
	return wc
}

// bind binds the window. The bind must succeed.
func (w *window) bind(off, n int, access verbs.Access) {
	w.Helper()
	was := w.rkey
	wc := w.tryBind(w.info(off, n, access))
	if wc.Status != verbs.WCSuccess || wc.Opcode != verbs.WCBindMW || wc.QPNum != w.QP.QPNum() {
		w.Fatalf("bind: completion %+v", wc)
	}
	if w.rkey == was || w.rkey>>8 != was>>8 {
		w.Fatalf("bind: rkey %#x became %#x", was, w.rkey)
	}
}

// bound makes a window on 5000 bytes at offset 1000 of a region of the side.
func (s *side) bound(t verbs.MWType, access verbs.Access) *window {
	s.Helper()
	w := s.window(t, bindable)
	w.bind(regionAt, regionLen, access)
	return w
}

const remoteRights = verbs.AccessRemoteWrite | verbs.AccessRemoteRead

// aim returns the request with an offset in the bound range as its remote address.
func (w *window) aim(r send, off int) send {
	r.RemoteAddr, r.RKey = w.mr.Addr()+uint64(regionAt+off), w.rkey
	return r
}

func unboundWindow(e *env) {
	e.bothTypes(func(e *env, t verbs.MWType) {
		a, b := e.pair(conf())
		w := b.window(t, bindable|remoteRights)
		a.refusedByPeer(w.aim(send{SGEs: []verbs.SGE{a.SGE(0, 8)}}, 0))
	})
}

func boundWindow(e *env) {
	e.bothTypes(func(e *env, t verbs.MWType) {
		a, b := e.pair(conf())
		w := b.bound(t, remoteRights)
		fixture.Fill(a.Mem[:64], 5)
		a.Post(w.aim(send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 64)}}, 0))
		a.SendCQ.Expect(1, verbs.WCSuccess)
		e.holds(w.mem[regionAt:][:64], string(a.Mem[:64]))
		a.Post(w.aim(send{ID: 2, Op: opRead, Flags: signaled, SGEs: []verbs.SGE{a.SGE(128, 64)}}, 0))
		a.SendCQ.Expect(2, verbs.WCSuccess)
		e.holds(a.Mem[128:][:64], string(a.Mem[:64]))
	})
}

func windowBounds(e *env) {
	e.bothTypes(func(e *env, t verbs.MWType) {
		for _, r := range ranges {
			for _, op := range []verbs.Opcode{opWrite, opRead} {
				a, b := e.pair(conf())
				w := b.bound(t, remoteRights)
				a.Post(w.aim(send{ID: 1, Op: op, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, r.n)}}, r.off))
				got, what := a.SendCQ.WaitFor(1).Status, op.String()+", "+r.name
				switch start := regionAt + r.off; {
				case r.inside:
					checkValueQuirks(e, what, got, verbs.WCSuccess)
				case start >= 0 && start+r.n <= len(w.mem):
					checkValue(e, "Q37", what, got, verbs.WCRemAccessErr, verbs.WCSuccess)
				default:
					checkValueQuirks(e, what, got, verbs.WCRemAccessErr)
				}
			}
		}
	})
}

func windowRights(e *env) {
	e.bothTypes(func(e *env, t verbs.MWType) {
		for op, access := range map[verbs.Opcode]verbs.Access{opWrite: verbs.AccessRemoteRead, opRead: verbs.AccessRemoteWrite} {
			a, b := e.pair(conf())
			w := b.window(t, bindable|remoteRights)
			w.bind(regionAt, regionLen, access)
			a.refusedByPeer(w.aim(send{Op: op, SGEs: []verbs.SGE{a.SGE(0, 8)}}, 0))
			if touched(w.mem) {
				e.Errorf("%s: bytes were written", op)
			}
		}
	})
}

func rebound(e *env) {
	a, b := e.pair(conf())
	w := b.bound(verbs.MWType1, remoteRights)
	old := w.rkey
	w.bind(0, 64, remoteRights)
	a.Post(w.aim(send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 64)}}, -regionAt))
	a.SendCQ.Expect(1, verbs.WCSuccess)
	w.rkey = old
	a.refusedByPeer(w.aim(send{SGEs: []verbs.SGE{a.SGE(0, 8)}}, -regionAt))
}

func boundToNothing(e *env) {
	a, b := e.pair(conf())
	w := b.bound(verbs.MWType1, remoteRights)
	e.ok(w.Bind(b.QP, &verbs.MWBind{WRID: 3, SendFlags: signaled, Info: w.info(0, 0, 0)}))
	b.SendCQ.Expect(3, verbs.WCSuccess)
	w.rkey = w.RKey()
	a.refusedByPeer(w.aim(send{SGEs: []verbs.SGE{a.SGE(0, 8)}}, 0))
}

func deallocated(e *env) {
	e.bothTypes(func(e *env, t verbs.MWType) {
		a, b := e.pair(conf())
		w := b.bound(t, remoteRights)
		e.close(w.MW)
		a.refusedByPeer(w.aim(send{SGEs: []verbs.SGE{a.SGE(0, 8)}}, 0))
	})
}

func windowIsOfDomain(e *env) {
	e.bothTypes(func(e *env, t verbs.MWType) {
		s := e.side(conf())
		s.needsWindows(t)
		pd := s.env.pd(s.Ctx)
		w := s.allocMW(pd, t)
		e.refused("dealloc_pd with a window", pd.Close(), syscall.EBUSY)
		e.close(w)
		e.close(pd)
	})
}

func refusedBinds(e *env) {
	e.sub("type 2", func(e *env) {
		_, b := e.pair(conf())
		w := b.window(verbs.MWType2, bindable)
		e.refused("bind_mw of type 2", w.Bind(b.QP, &verbs.MWBind{Info: w.info(0, 64, remoteRights)}), syscall.EINVAL)
	})
	e.sub("another domain", func(e *env) {
		_, b := e.pair(conf())
		w := b.window(verbs.MWType1, bindable)
		info := w.info(0, 64, remoteRights)
		info.MR = e.register(e.pd(b.Ctx), w.mem, bindable).(verbs.BindableMR)
		e.refused("bind_mw to a region of another domain", w.Bind(b.QP, &verbs.MWBind{Info: info}), syscall.EPERM)
	})
	e.sub("no region", func(e *env) {
		_, b := e.pair(conf())
		w := b.window(verbs.MWType1, bindable)
		e.refused("bind_mw of bytes without a region", w.Bind(b.QP, &verbs.MWBind{Info: verbs.MWBindInfo{Length: 8}}), syscall.EINVAL)
	})
}

func windowOfQP(e *env) {
	a, b := e.pair(conf())
	w := b.bound(verbs.MWType2, remoteRights)
	// A second QP of the same domain, with a peer of its own.
	other := e.side(conf())
	first := b.QP
	b.NewQP()
	fixture.Connect(other, b)
	other.refusedByPeer(w.aim(send{SGEs: []verbs.SGE{other.SGE(0, 8)}}, 0))
	b.QP = first
	a.Post(w.aim(send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}, 0))
	a.SendCQ.Expect(1, verbs.WCSuccess)
}

func incRKey(e *env) {
	for key, want := range map[uint32]uint32{0: 1, 0x1234: 0x1235, 0xabcdefff: 0xabcdef00, 0xffffffff: 0xffffff00} {
		if got := verbs.IncRKey(key); got != want {
			e.Errorf("after %#x comes %#x, want %#x", key, got, want)
		}
	}
}

func deregisterInUse(e *env) {
	e.sub("receive", deregisterPosted)
	e.sub("window", func(e *env) {
		_, b := e.pair(conf())
		w := b.bound(verbs.MWType1, remoteRights)
		if w.mr.Close() == nil {
			e.Error("dereg_mr succeeds although a window is bound to the region")
		}
	})
}

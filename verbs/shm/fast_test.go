package shm_test

import (
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// A requester that has sent goes on by what it has checked then. These tests do that
// first, with every operation, and only then what must not work.

// warm uses the connection until all is known that the requester remembers.
func (s *side) warm(t *testing.T, peer *side) {
	t.Helper()
	reads := s.conf.rdAtomic > 0 && peer.conf.destRdAtomic > 0
	for range 3 {
		for _, tr := range transfers {
			if tr.op == verbs.OpRDMARead && !reads {
				continue
			}
			if tr.receives {
				peer.mustRecv(t, recv{sges: []verbs.SGE{peer.sge(0, 64)}})
			}
			s.mustPost(t, s.small(tr.op, peer))
			pollOne(t, s.sendCQ, 1, verbs.WCSuccess)
			if tr.receives {
				pollOne(t, peer.recvCQ, 0, verbs.WCSuccess)
			}
		}
	}
}

// warmPair makes a pair of which a has sent to b.
func warmPair(t *testing.T, c config) (a, b *side) {
	t.Helper()
	a, b = pair(t, c)
	a.warm(t, b)
	return a, b
}

// small is a request of 64 bytes.
func (s *side) small(op verbs.Opcode, peer *side) send {
	return send{id: 1, op: op, flags: verbs.SendSignaled, sges: []verbs.SGE{s.sge(0, 64)}}.toward(peer, 0)
}

// elsewhere is memory of the side in a domain of its own, or in its own one if sameDomain.
func (s *side) elsewhere(t *testing.T, sameDomain bool, access verbs.Access) verbs.MR {
	t.Helper()
	other := *s
	if !sameDomain {
		other.pd = must(s.ctx.AllocPD())(t)
		t.Cleanup(func() { noError(t, other.pd.Close()) })
	}
	_, mr := other.register(t, pageSize, access)
	return mr
}

// at names n bytes of a region, from its start.
func at(mr verbs.MR, n uint32) verbs.SGE {
	return verbs.SGE{Addr: mr.Addr(), Length: n, LKey: mr.LKey()}
}

// TestWarmMemory: keys, domains, rights and bounds count in every request.
func TestWarmMemory(t *testing.T) {
	local := map[string]func(t *testing.T, a, b *side, w *send){
		"key":    func(t *testing.T, a, b *side, w *send) { w.sges[0].LKey ^= 1 },
		"domain": func(t *testing.T, a, b *side, w *send) { w.sges[0] = at(a.elsewhere(t, false, allRights), 64) },
		"end":    func(t *testing.T, a, b *side, w *send) { w.sges[0] = a.sge(a.conf.size-63, 64) },
		"start":  func(t *testing.T, a, b *side, w *send) { w.sges[0].Addr-- },
		"closed": func(t *testing.T, a, b *side, w *send) { noError(t, a.mr.Close()) },
	}
	remote := map[string]func(t *testing.T, a, b *side, w *send){
		"key": func(t *testing.T, a, b *side, w *send) { w.rkey ^= 1 },
		"domain": func(t *testing.T, a, b *side, w *send) {
			mr := b.elsewhere(t, false, allRights)
			w.raddr, w.rkey = mr.Addr(), mr.RKey()
		},
		"right": func(t *testing.T, a, b *side, w *send) {
			access := verbs.AccessLocalWrite | verbs.AccessRemoteRead
			if w.op == verbs.OpRDMARead {
				access = verbs.AccessLocalWrite | verbs.AccessRemoteWrite
			}
			mr := b.elsewhere(t, true, access)
			w.raddr, w.rkey = mr.Addr(), mr.RKey()
		},
		"end":    func(t *testing.T, a, b *side, w *send) { *w = w.toward(b, b.conf.size-63) },
		"start":  func(t *testing.T, a, b *side, w *send) { w.raddr-- },
		"closed": func(t *testing.T, a, b *side, w *send) { noError(t, b.mr.Close()) },
	}
	run := func(where string, ops []verbs.Opcode, spoils map[string]func(*testing.T, *side, *side, *send), want verbs.WCStatus) {
		for name, spoil := range spoils {
			for _, op := range ops {
				t.Run(where+"/"+name+"/"+op.String(), func(t *testing.T) {
					a, b := warmPair(t, conf())
					b.mustRecv(t, recv{})
					w := a.small(op, b)
					spoil(t, a, b, &w)
					a.mustPost(t, w)
					pollOne(t, a.sendCQ, 1, want)
				})
			}
		}
	}
	run("local", []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpRDMARead, verbs.OpSend}, local, verbs.WCLocProtErr)
	run("remote", []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpRDMARead, verbs.OpRDMAWriteWithImm}, remote, verbs.WCRemAccessErr)
	t.Run("READ to memory that may not be written", func(t *testing.T) {
		a, b := warmPair(t, conf())
		w := a.small(verbs.OpRDMARead, b)
		w.sges[0] = at(a.elsewhere(t, true, verbs.AccessRemoteRead), 64)
		a.mustPost(t, w)
		pollOne(t, a.sendCQ, 1, verbs.WCLocProtErr)
	})
}

// TestWarmReceives: what a receive names is looked at in every message.
func TestWarmReceives(t *testing.T) {
	cases := map[string]struct {
		receive          func(t *testing.T, b *side) verbs.SGE
		sender, receiver verbs.WCStatus
	}{
		"fits":         {func(t *testing.T, b *side) verbs.SGE { return b.sge(64, 64) }, verbs.WCSuccess, verbs.WCSuccess},
		"a byte short": {func(t *testing.T, b *side) verbs.SGE { return b.sge(64, 63) }, verbs.WCRemInvReqErr, verbs.WCLocLenErr},
		"key": {func(t *testing.T, b *side) verbs.SGE {
			s := b.sge(0, 64)
			s.LKey ^= 1
			return s
		}, verbs.WCRemOpErr, verbs.WCLocProtErr},
		"domain": {func(t *testing.T, b *side) verbs.SGE {
			return at(b.elsewhere(t, false, allRights), 64)
		}, verbs.WCRemOpErr, verbs.WCLocProtErr},
		"right": {func(t *testing.T, b *side) verbs.SGE {
			return at(b.elsewhere(t, true, verbs.AccessRemoteRead), 64)
		}, verbs.WCRemOpErr, verbs.WCLocProtErr},
		"end": {func(t *testing.T, b *side) verbs.SGE { return b.sge(b.conf.size-63, 64) }, verbs.WCRemOpErr, verbs.WCLocProtErr},
		"closed": {func(t *testing.T, b *side) verbs.SGE {
			noError(t, b.mr.Close())
			return b.sge(0, 64)
		}, verbs.WCRemOpErr, verbs.WCLocProtErr},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a, b := warmPair(t, conf())
			b.mustRecv(t, recv{id: 2, sges: []verbs.SGE{c.receive(t, b)}})
			a.mustPost(t, a.small(verbs.OpSend, b))
			pollOne(t, a.sendCQ, 1, c.sender)
			pollOne(t, b.recvCQ, 2, c.receiver)
		})
	}
}

// TestWarmRefusals: what cannot be posted is refused, and what cannot be read fails.
func TestWarmRefusals(t *testing.T) {
	t.Run("inline", func(t *testing.T) {
		a, b := warmPair(t, conf())
		for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend, verbs.OpRDMARead} {
			b.mustRecv(t, recv{sges: []verbs.SGE{b.sge(0, 100)}})
			w := a.small(op, b)
			w.flags |= verbs.SendInline
			if op != verbs.OpRDMARead {
				w.sges[0].Length = uint32(a.conf.cap.MaxInlineData + 1)
			}
			_, err := a.post(w)
			wantErrno(t, err, syscall.EINVAL)
		}
	})
	t.Run("full", func(t *testing.T) {
		a, b := warmPair(t, conf())
		list := make([]send, a.conf.cap.MaxSendWR)
		for i := range list {
			list[i] = a.small(verbs.OpRDMAWrite, b)
			list[i].flags = 0
		}
		a.mustPost(t, list...)
		_, err := a.post(list[0])
		wantErrno(t, err, syscall.ENOMEM)
	})
	t.Run("max_rd_atomic 0", func(t *testing.T) {
		c := conf()
		c.rdAtomic = 0
		a, b := warmPair(t, c)
		_, err := a.post(a.small(verbs.OpRDMARead, b))
		wantErrno(t, err, syscall.EINVAL)
	})
	t.Run("max_dest_rd_atomic 0", func(t *testing.T) {
		c := conf()
		c.destRdAtomic = 0
		a, b := warmPair(t, c)
		a.mustPost(t, a.small(verbs.OpRDMARead, b))
		pollOne(t, a.sendCQ, 1, verbs.WCRemInvReqErr)
	})
}

// TestWarmLargestMessage: the largest message is looked at in every request. The memory is
// that of one buffer at both sides, and none of it is touched.
func TestWarmLargestMessage(t *testing.T) {
	const largest = 1 << 31
	a, b := warmPair(t, conf())
	buf := must(verbs.NewBuffer(largest + pageSize))(t)
	defer buf.Close()
	from, to := must(a.pd.RegMR(buf.Bytes(), allRights))(t), must(b.pd.RegMR(buf.Bytes(), allRights))(t)
	defer from.Close()
	defer to.Close()
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpRDMARead} {
		w := a.small(op, b)
		w.sges[0], w.raddr, w.rkey = at(from, 8), to.Addr(), to.RKey()
		a.mustPost(t, w, w)
		poll(t, a.sendCQ, 2)
		w.sges[0].Length = largest + 1
		a.mustPost(t, w)
		pollOne(t, a.sendCQ, 1, verbs.WCLocLenErr)
		a.reconnect(t, b)
		b.reconnect(t, a)
	}
}

// TestWarmLists: when a post has returned, whatever it ended with, all that it has sent is to be
// polled, with the right lengths and in order.
func TestWarmLists(t *testing.T) {
	ends := map[string]func(w *send){
		"a SEND":             func(*send) {},
		"nothing":            func(w *send) { w.sges = nil },
		"a WRITE":            func(w *send) { w.op = verbs.OpRDMAWrite },
		"a WRITE that fails": func(w *send) { w.op, w.rkey = verbs.OpRDMAWrite, w.rkey^1 },
		"what is refused":    func(w *send) { w.op = verbs.OpRDMARead; w.flags = verbs.SendInline },
		"two pieces":         func(w *send) { w.sges = append(w.sges, w.sges[0]) },
		"a long one":         func(w *send) { w.sges[0].Length = pageSize },
	}
	c := conf()
	c.size = 4 * pageSize
	for name, change := range ends {
		t.Run(name, func(t *testing.T) {
			for sends := range 6 {
				a, b := warmPair(t, c)
				var list []send
				for i := range sends + 1 {
					w := a.small(verbs.OpSend, b)
					w.flags, w.sges[0].Length = 0, uint32(64-i)
					list = append(list, w)
					b.mustRecv(t, recv{id: uint64(i), sges: []verbs.SGE{b.sge(0, 2*pageSize)}})
				}
				change(&list[sends])
				a.post(list...)
				for i := range sends {
					if wc := pollOne(t, b.recvCQ, uint64(i), verbs.WCSuccess); wc.ByteLen != uint32(64-i) {
						t.Errorf("message %d of %d has %d bytes", i, sends, wc.ByteLen)
					}
				}
			}
		})
	}
}

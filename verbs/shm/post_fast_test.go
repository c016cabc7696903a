package shm_test

import (
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// A requester that has sent uses its region cache. These tests fill the cache first, with every
// operation, and then post what must not work.

// useAllOps uses every operation on the connection, until the region cache holds all regions.
func (s *side) useAllOps(t *testing.T, peer *side) {
	t.Helper()
	reads := s.Config.RdAtomic > 0 && peer.Config.DestRdAtomic > 0
	for range 3 {
		for _, tr := range transfers {
			if tr.op == verbs.OpRDMARead && !reads {
				continue
			}
			if tr.receives {
				peer.PostRecv(recv{SGEs: []verbs.SGE{peer.SGE(0, 64)}})
			}
			s.Post(s.request64(tr.op, peer))
			s.SendCQ.Expect(1, verbs.WCSuccess)
			if tr.receives {
				peer.RecvCQ.Expect(0, verbs.WCSuccess)
			}
		}
	}
}

// usedPair returns a pair of which a has used every operation.
func usedPair(t *testing.T, c config) (a, b *side) {
	t.Helper()
	a, b = pair(t, c)
	a.useAllOps(t, b)
	return a, b
}

// request64 returns a request of 64 bytes.
func (s *side) request64(op verbs.Opcode, peer *side) send {
	return send{ID: 1, Op: op, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{s.SGE(0, 64)}}.Toward(peer, 0)
}

// registerElsewhere returns another region of the side, in its own domain if sameDomain, else in a
// new one.
func (s *side) registerElsewhere(t *testing.T, sameDomain bool, access verbs.Access) verbs.MR {
	t.Helper()
	other := *s
	if !sameDomain {
		other.PD = must(s.Ctx.AllocPD())(t)
		t.Cleanup(func() { noError(t, other.PD.Close()) })
	}
	_, mr := other.Region(pageSize, access)
	return mr
}

// at returns an SGE for the first n bytes of a region.
func at(mr verbs.MR, n uint32) verbs.SGE {
	return verbs.SGE{Addr: mr.Addr(), Length: n, LKey: mr.LKey()}
}

// TestFastPathChecksMemory covers keys, domains, rights and bounds in requests after the first.
func TestFastPathChecksMemory(t *testing.T) {
	local := map[string]func(t *testing.T, a, b *side, w *send){
		"key":    func(t *testing.T, a, b *side, w *send) { w.SGEs[0].LKey ^= 1 },
		"domain": func(t *testing.T, a, b *side, w *send) { w.SGEs[0] = at(a.registerElsewhere(t, false, allRights), 64) },
		"end":    func(t *testing.T, a, b *side, w *send) { w.SGEs[0] = a.SGE(a.Config.BufferSize-63, 64) },
		"start":  func(t *testing.T, a, b *side, w *send) { w.SGEs[0].Addr-- },
		"closed": func(t *testing.T, a, b *side, w *send) { noError(t, a.MR.Close()) },
	}
	remote := map[string]func(t *testing.T, a, b *side, w *send){
		"key": func(t *testing.T, a, b *side, w *send) { w.RKey ^= 1 },
		"domain": func(t *testing.T, a, b *side, w *send) {
			mr := b.registerElsewhere(t, false, allRights)
			w.RemoteAddr, w.RKey = mr.Addr(), mr.RKey()
		},
		"right": func(t *testing.T, a, b *side, w *send) {
			access := verbs.AccessLocalWrite | verbs.AccessRemoteRead
			if w.Op == verbs.OpRDMARead {
				access = verbs.AccessLocalWrite | verbs.AccessRemoteWrite
			}
			mr := b.registerElsewhere(t, true, access)
			w.RemoteAddr, w.RKey = mr.Addr(), mr.RKey()
		},
		"end":    func(t *testing.T, a, b *side, w *send) { *w = w.Toward(b, b.Config.BufferSize-63) },
		"start":  func(t *testing.T, a, b *side, w *send) { w.RemoteAddr-- },
		"closed": func(t *testing.T, a, b *side, w *send) { noError(t, b.MR.Close()) },
	}
	run := func(where string, ops []verbs.Opcode, spoils map[string]func(*testing.T, *side, *side, *send), want verbs.WCStatus) {
		for name, spoil := range spoils {
			for _, op := range ops {
				t.Run(where+"/"+name+"/"+op.String(), func(t *testing.T) {
					a, b := usedPair(t, conf())
					b.PostRecv(recv{})
					w := a.request64(op, b)
					spoil(t, a, b, &w)
					a.Post(w)
					a.SendCQ.Expect(1, want)
				})
			}
		}
	}
	run("local", []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpRDMARead, verbs.OpSend}, local, verbs.WCLocProtErr)
	run("remote", []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpRDMARead, verbs.OpRDMAWriteWithImm}, remote, verbs.WCRemAccessErr)
	t.Run("READ to memory that may not be written", func(t *testing.T) {
		a, b := usedPair(t, conf())
		w := a.request64(verbs.OpRDMARead, b)
		w.SGEs[0] = at(a.registerElsewhere(t, true, verbs.AccessRemoteRead), 64)
		a.Post(w)
		a.SendCQ.Expect(1, verbs.WCLocProtErr)
	})
}

// TestFastPathChecksReceives covers that the SGEs of the receive are checked for every message.
func TestFastPathChecksReceives(t *testing.T) {
	cases := map[string]struct {
		receive          func(t *testing.T, b *side) verbs.SGE
		sender, receiver verbs.WCStatus
	}{
		"fits":         {func(t *testing.T, b *side) verbs.SGE { return b.SGE(64, 64) }, verbs.WCSuccess, verbs.WCSuccess},
		"a byte short": {func(t *testing.T, b *side) verbs.SGE { return b.SGE(64, 63) }, verbs.WCRemInvReqErr, verbs.WCLocLenErr},
		"key": {func(t *testing.T, b *side) verbs.SGE {
			s := b.SGE(0, 64)
			s.LKey ^= 1
			return s
		}, verbs.WCRemOpErr, verbs.WCLocProtErr},
		"domain": {func(t *testing.T, b *side) verbs.SGE {
			return at(b.registerElsewhere(t, false, allRights), 64)
		}, verbs.WCRemOpErr, verbs.WCLocProtErr},
		"right": {func(t *testing.T, b *side) verbs.SGE {
			return at(b.registerElsewhere(t, true, verbs.AccessRemoteRead), 64)
		}, verbs.WCRemOpErr, verbs.WCLocProtErr},
		"end": {func(t *testing.T, b *side) verbs.SGE { return b.SGE(b.Config.BufferSize-63, 64) }, verbs.WCRemOpErr, verbs.WCLocProtErr},
		"closed": {func(t *testing.T, b *side) verbs.SGE {
			noError(t, b.MR.Close())
			return b.SGE(0, 64)
		}, verbs.WCRemOpErr, verbs.WCLocProtErr},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a, b := usedPair(t, conf())
			b.PostRecv(recv{ID: 2, SGEs: []verbs.SGE{c.receive(t, b)}})
			a.Post(a.request64(verbs.OpSend, b))
			a.SendCQ.Expect(1, c.sender)
			b.RecvCQ.Expect(2, c.receiver)
		})
	}
}

// TestFastPathRejectsInvalidRequests covers requests that cannot be posted, and READs that the
// responder's QP does not allow.
func TestFastPathRejectsInvalidRequests(t *testing.T) {
	t.Run("inline", func(t *testing.T) {
		a, b := usedPair(t, conf())
		for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend, verbs.OpRDMARead} {
			b.PostRecv(recv{SGEs: []verbs.SGE{b.SGE(0, 100)}})
			w := a.request64(op, b)
			w.Flags |= verbs.SendInline
			if op != verbs.OpRDMARead {
				w.SGEs[0].Length = uint32(a.Config.Cap.MaxInlineData + 1)
			}
			_, err := a.TryPost(w)
			wantErrno(t, err, syscall.EINVAL)
		}
	})
	t.Run("full", func(t *testing.T) {
		a, b := usedPair(t, conf())
		list := make([]send, a.Config.Cap.MaxSendWR)
		for i := range list {
			list[i] = a.request64(verbs.OpRDMAWrite, b)
			list[i].Flags = 0
		}
		a.Post(list...)
		_, err := a.TryPost(list[0])
		wantErrno(t, err, syscall.ENOMEM)
	})
	t.Run("max_rd_atomic 0", func(t *testing.T) {
		c := conf()
		c.RdAtomic = 0
		a, b := usedPair(t, c)
		_, err := a.TryPost(a.request64(verbs.OpRDMARead, b))
		wantErrno(t, err, syscall.EINVAL)
	})
	t.Run("max_dest_rd_atomic 0", func(t *testing.T) {
		c := conf()
		c.DestRdAtomic = 0
		a, b := usedPair(t, c)
		a.Post(a.request64(verbs.OpRDMARead, b))
		a.SendCQ.Expect(1, verbs.WCRemInvReqErr)
	})
}

// TestFastPathChecksMessageSize covers the size limit in every request. Both sides use the memory
// of one buffer, which is never touched.
func TestFastPathChecksMessageSize(t *testing.T) {
	const largest = 1 << 31
	a, b := usedPair(t, conf())
	buf := must(verbs.NewBuffer(largest + pageSize))(t)
	defer buf.Close()
	from, to := must(a.PD.RegMR(buf.Bytes(), allRights))(t), must(b.PD.RegMR(buf.Bytes(), allRights))(t)
	defer from.Close()
	defer to.Close()
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpRDMARead} {
		w := a.request64(op, b)
		w.SGEs[0], w.RemoteAddr, w.RKey = at(from, 8), to.Addr(), to.RKey()
		a.Post(w, w)
		a.SendCQ.Next(2)
		w.SGEs[0].Length = largest + 1
		a.Post(w)
		a.SendCQ.Expect(1, verbs.WCLocLenErr)
		a.reconnect(t, b)
		b.reconnect(t, a)
	}
}

// TestFastPathPublishesAllSends covers that after a post, with whatever request its list ended, all
// its SENDs can be polled, in order and with the right lengths.
func TestFastPathPublishesAllSends(t *testing.T) {
	ends := map[string]func(w *send){
		"a SEND":             func(*send) {},
		"no SGE":             func(w *send) { w.SGEs = nil },
		"a WRITE":            func(w *send) { w.Op = verbs.OpRDMAWrite },
		"a WRITE that fails": func(w *send) { w.Op, w.RKey = verbs.OpRDMAWrite, w.RKey^1 },
		"an invalid request": func(w *send) { w.Op = verbs.OpRDMARead; w.Flags = verbs.SendInline },
		"two SGEs":           func(w *send) { w.SGEs = append(w.SGEs, w.SGEs[0]) },
		"a long SEND":        func(w *send) { w.SGEs[0].Length = pageSize },
	}
	c := conf()
	c.BufferSize = 4 * pageSize
	for name, change := range ends {
		t.Run(name, func(t *testing.T) {
			for sends := range 6 {
				a, b := usedPair(t, c)
				var list []send
				for i := range sends + 1 {
					w := a.request64(verbs.OpSend, b)
					w.Flags, w.SGEs[0].Length = 0, uint32(64-i)
					list = append(list, w)
					b.PostRecv(recv{ID: uint64(i), SGEs: []verbs.SGE{b.SGE(0, 2*pageSize)}})
				}
				change(&list[sends])
				a.TryPost(list...)
				for i := range sends {
					if wc := b.RecvCQ.Expect(uint64(i), verbs.WCSuccess); wc.ByteLen != uint32(64-i) {
						t.Errorf("message %d of %d has %d bytes", i, sends, wc.ByteLen)
					}
				}
			}
		})
	}
}

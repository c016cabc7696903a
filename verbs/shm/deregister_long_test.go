package shm_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestDeregisterUnderALongList: a region that is closed while a list of WRITEs of 32 GiB
// is carried out is written no more, and the list ends in an error.
func TestDeregisterUnderALongList(t *testing.T) {
	for _, size := range []int{1 << 20, 16 << 20} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			n := 32 << 30 / size
			c := conf()
			c.size, c.cap.MaxSendWR, c.cqe = size, n, 2*n
			a, b := warmPair(t, c)
			fillFast(a.mem)
			clear(b.mem)
			words := atomicWords(b.mem)
			crew(t, func() error {
				_, err := a.qp.PostSend(longList(t, a, b, n))
				return err
			}, func() error {
				eventually(t, "data comes", func() bool { return words[0].Load() != 0 })
				err := b.mr.Close()
				clear(b.mem)
				return err
			})
			wantZero(t, words)
			if wc := poll(t, a.sendCQ, 1)[0]; wc.Status != verbs.WCRemAccessErr {
				t.Errorf("the first completion is %s, want %s", wc.Status, verbs.WCRemAccessErr)
			}
		})
	}
}

// longList is a list of n WRITEs that fill the peer's buffer, the last one signaled.
func longList(t *testing.T, s, peer *side, n int) *verbs.SendWR {
	t.Helper()
	one := newRequests(t).sendList([]send{send{sges: []verbs.SGE{s.sge(0, s.conf.size)}}.toward(peer, 0)})
	list := must(verbs.Make[verbs.SendWR](n))(t)
	t.Cleanup(func() { noError(t, verbs.Free(list)) })
	for i := range list {
		list[i] = *one
		if i+1 < n {
			list[i].Next = &list[i+1]
		}
	}
	list[n-1].SendFlags = verbs.SendSignaled
	return &list[0]
}

// wantZero checks that memory is as it was cleared.
func wantZero(t *testing.T, words []atomic.Uint64) {
	t.Helper()
	for i := range words {
		if words[i].Load() != 0 {
			t.Fatalf("byte %d of the memory was written after it was deregistered", 8*i)
		}
	}
}

// TestDeregisterWithinAMessage: a message whose region is closed while it is placed ends
// there, with an error.
func TestDeregisterWithinAMessage(t *testing.T) {
	for _, device := range devices[:2] {
		for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend, verbs.OpRDMARead} {
			t.Run(fmt.Sprintf("%s/%s", device, op), func(t *testing.T) {
				eventually(t, "a message ends in the middle", func() bool { return deregisterWithin(t, device, op) })
			})
		}
	}
}

// deregisterWithin closes the region that a message of 32 MiB goes to, and tells whether
// that was done before the message was at its end.
func deregisterWithin(t *testing.T, device string, op verbs.Opcode) bool {
	t.Helper()
	c := conf()
	c.device, c.size = device, 32<<20
	a, b := pair(t, c)
	source, target, want := a, b, verbs.WCRemAccessErr
	switch op {
	case verbs.OpSend:
		want = verbs.WCRemOpErr
	case verbs.OpRDMARead:
		source, target, want = b, a, verbs.WCLocProtErr
	}
	fillFast(source.mem)
	b.mustRecv(t, recv{sges: []verbs.SGE{b.sge(0, c.size)}})
	words, status := atomicWords(target.mem), verbs.WCSuccess
	arrived := func() bool { return anyOf(words[:1<<20/8], 512) }
	crew(t, func() error {
		w := send{op: op, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, c.size)}}.toward(b, 0)
		if _, err := a.post(w); err != nil {
			return err
		}
		return repeat(1, func(int) (bool, error) {
			var wc [1]verbs.WC
			n, err := a.sendCQ.Poll(wc[:])
			status = wc[0].Status
			return n == 1, err
		})
	}, func() error {
		eventually(t, "data comes", arrived)
		err := target.mr.Close()
		clear(target.mem)
		return err
	})
	wantZero(t, words)
	if status != verbs.WCSuccess && status != want {
		t.Fatalf("%s, want %s", status, want)
	}
	return status == want
}

// anyOf tells whether any of every step-th word is there.
func anyOf(words []atomic.Uint64, step int) bool {
	for i := 0; i < len(words); i += step {
		if words[i].Load() != 0 {
			return true
		}
	}
	return false
}

// TestCollectionWithinAMessage: the garbage collector does not wait for the end of a
// message.
func TestCollectionWithinAMessage(t *testing.T) {
	for _, device := range devices[:2] {
		t.Run(device, func(t *testing.T) {
			c := conf()
			c.device, c.size = device, 128<<20
			a, b := pair(t, c)
			fillFast(a.mem)
			words := atomicWords(b.mem)
			w := send{flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, c.size)}}.toward(b, 0)
			eventually(t, "a collection ends before a message does", func() bool {
				clear(b.mem)
				var posted, within atomic.Bool
				crew(t, func() error {
					_, err := a.post(w)
					posted.Store(true)
					return err
				}, func() error {
					eventually(t, "data comes", func() bool { return anyOf(words[:1<<20/8], 512) })
					runtime.GC()
					within.Store(!posted.Load())
					return nil
				})
				pollOne(t, a.sendCQ, 0, verbs.WCSuccess)
				return within.Load()
			})
		})
	}
}

// fillFast writes a pattern without zeros.
func fillFast(b []byte) {
	for n := copy(b, "a pattern without zeros "); n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// TestPeerLeavesWithinAMessage: the peer's RESET, which ends what its memory may be used
// for by this connection, is not held up by the rest of a message, nor is the message
// completed as if it had arrived.
func TestPeerLeavesWithinAMessage(t *testing.T) {
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend} {
		t.Run(op.String(), func(t *testing.T) {
			eventually(t, "a peer leaves within a message", func() bool { return leaveWithin(t, op) })
		})
	}
}

// leaveWithin resets the QP that a message of 32 MiB goes to, and tells whether that was
// done before the message was at its end.
func leaveWithin(t *testing.T, op verbs.Opcode) bool {
	t.Helper()
	c := conf()
	c.size = 32 << 20
	a, b := pair(t, c)
	fillFast(a.mem)
	b.mustRecv(t, recv{sges: []verbs.SGE{b.sge(0, c.size)}})
	words := atomicWords(b.mem)
	crew(t, func() error {
		_, err := a.post(send{op: op, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, c.size)}}.toward(b, 0))
		return err
	}, func() error {
		eventually(t, "data comes", func() bool { return words[0].Load() != 0 })
		b.to(t, verbs.QPReset, a)
		clear(b.mem)
		return nil
	})
	wantZero(t, words)
	wc := poll(t, a.sendCQ, 1)[0]
	if wc.Status != verbs.WCSuccess && wc.Status != verbs.WCRetryExcErr {
		t.Fatalf("%s, want %s", wc.Status, verbs.WCRetryExcErr)
	}
	return wc.Status == verbs.WCRetryExcErr
}

// TestDeregisterSourceWithinAMessage: a message whose own memory is closed while it is
// read ends there, with an error, of types without acknowledgements too.
func TestDeregisterSourceWithinAMessage(t *testing.T) {
	for _, typ := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUC} {
		t.Run(typ.String(), func(t *testing.T) {
			eventually(t, "a message ends in the middle", func() bool {
				c := conf()
				c.typ, c.size = typ, 32<<20
				a, b := pair(t, c)
				fillFast(a.mem)
				words := atomicWords(b.mem)
				crew(t, func() error {
					_, err := a.post(send{sges: []verbs.SGE{a.sge(0, c.size)}, flags: verbs.SendSignaled}.toward(b, 0))
					return err
				}, func() error {
					eventually(t, "data comes", func() bool { return words[0].Load() != 0 })
					return a.mr.Close()
				})
				wc := poll(t, a.sendCQ, 1)[0]
				if wc.Status != verbs.WCSuccess && wc.Status != verbs.WCLocProtErr {
					t.Fatalf("%s, want %s", wc.Status, verbs.WCLocProtErr)
				}
				return wc.Status == verbs.WCLocProtErr
			})
		})
	}
}

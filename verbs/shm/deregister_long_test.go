package shm_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// TestDeregisterDuringLongList covers MR.Close during a list of WRITEs of 32 GiB: nothing is
// written after it, and the list ends in an error.
func TestDeregisterDuringLongList(t *testing.T) {
	for _, size := range []int{1 << 20, 16 << 20} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			n := 32 << 30 / size
			c := conf()
			c.BufferSize, c.Cap.MaxSendWR, c.CQE = size, n, 2*n
			a, b := usedPair(t, c)
			fillFast(a.Mem)
			clear(b.Mem)
			words := atomicWords(b.Mem)
			runConcurrently(t, func() error {
				_, err := a.QP.PostSend(longList(t, a, b, n))
				return err
			}, func() error {
				fixture.Eventually(t, "data arrives", func() bool { return words[0].Load() != 0 })
				err := b.MR.Close()
				clear(b.Mem)
				return err
			})
			wantUnwritten(t, words)
			if wc := a.SendCQ.Next(1)[0]; wc.Status != verbs.WCRemAccessErr {
				t.Errorf("the first completion is %s, want %s", wc.Status, verbs.WCRemAccessErr)
			}
		})
	}
}

// longList returns a list of n WRITEs that each fill the peer's buffer; the last is signaled.
func longList(t *testing.T, s, peer *side, n int) *verbs.SendWR {
	t.Helper()
	one := fixture.NewRequests(t).SendList([]send{send{SGEs: []verbs.SGE{s.SGE(0, s.Config.BufferSize)}}.Toward(peer, 0)})
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

// wantUnwritten checks that memory was not written since it was cleared.
func wantUnwritten(t *testing.T, words []atomic.Uint64) {
	t.Helper()
	for i := range words {
		if words[i].Load() != 0 {
			t.Fatalf("byte %d of the memory was written after it was deregistered", 8*i)
		}
	}
}

// TestDeregisterDuringMessage covers a message whose region is closed while it is stored: it ends
// there, with an error.
func TestDeregisterDuringMessage(t *testing.T) {
	for _, device := range devices[:2] {
		for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend, verbs.OpRDMARead} {
			t.Run(fmt.Sprintf("%s/%s", device, op), func(t *testing.T) {
				fixture.Eventually(t, "a message ends before its last byte", func() bool { return deregisterDuringMessage(t, device, op) })
			})
		}
	}
}

// deregisterDuringMessage closes the region that a message of 32 MiB goes to, and reports whether
// the message had not ended before.
func deregisterDuringMessage(t *testing.T, device string, op verbs.Opcode) bool {
	t.Helper()
	c := conf()
	c.device, c.BufferSize = device, 32<<20
	a, b := pair(t, c)
	source, target, want := a, b, verbs.WCRemAccessErr
	switch op {
	case verbs.OpSend:
		want = verbs.WCRemOpErr
	case verbs.OpRDMARead:
		source, target, want = b, a, verbs.WCLocProtErr
	}
	fillFast(source.Mem)
	b.PostRecv(recv{SGEs: []verbs.SGE{b.SGE(0, c.BufferSize)}})
	words, status := atomicWords(target.Mem), verbs.WCSuccess
	arrived := func() bool { return anyNonzero(words[:1<<20/8], 512) }
	runConcurrently(t, func() error {
		w := send{Op: op, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, c.BufferSize)}}.Toward(b, 0)
		if _, err := a.TryPost(w); err != nil {
			return err
		}
		return repeat(1, func(int) (bool, error) {
			var wc [1]verbs.WC
			n, err := a.SendCQ.Poll(wc[:])
			status = wc[0].Status
			return n == 1, err
		})
	}, func() error {
		fixture.Eventually(t, "data arrives", arrived)
		err := target.MR.Close()
		clear(target.Mem)
		return err
	})
	wantUnwritten(t, words)
	if status != verbs.WCSuccess && status != want {
		t.Fatalf("status %s, want %s", status, want)
	}
	return status == want
}

// anyNonzero reports whether any of every step-th word is not zero.
func anyNonzero(words []atomic.Uint64, step int) bool {
	for i := 0; i < len(words); i += step {
		if words[i].Load() != 0 {
			return true
		}
	}
	return false
}

// TestGarbageCollectionDuringMessage covers that the garbage collector does not wait for the end of
// a message.
func TestGarbageCollectionDuringMessage(t *testing.T) {
	for _, device := range devices[:2] {
		t.Run(device, func(t *testing.T) {
			c := conf()
			c.device, c.BufferSize = device, 128<<20
			a, b := pair(t, c)
			fillFast(a.Mem)
			words := atomicWords(b.Mem)
			w := send{Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, c.BufferSize)}}.Toward(b, 0)
			fixture.Eventually(t, "a garbage collection ends before a message does", func() bool {
				clear(b.Mem)
				var posted, within atomic.Bool
				runConcurrently(t, func() error {
					_, err := a.TryPost(w)
					posted.Store(true)
					return err
				}, func() error {
					fixture.Eventually(t, "data arrives", func() bool { return anyNonzero(words[:1<<20/8], 512) })
					runtime.GC()
					within.Store(!posted.Load())
					return nil
				})
				a.SendCQ.Expect(0, verbs.WCSuccess)
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

// TestPeerResetDuringMessage covers the peer's RESET during a message: it does not wait for the
// rest of the message, and the message does not complete as if it had arrived.
func TestPeerResetDuringMessage(t *testing.T) {
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend} {
		t.Run(op.String(), func(t *testing.T) {
			fixture.Eventually(t, "a peer resets its QP during a message", func() bool { return resetDuringMessage(t, op) })
		})
	}
}

// resetDuringMessage resets the QP that a message of 32 MiB goes to, and reports whether the
// message had not ended before.
func resetDuringMessage(t *testing.T, op verbs.Opcode) bool {
	t.Helper()
	c := conf()
	c.BufferSize = 32 << 20
	a, b := pair(t, c)
	fillFast(a.Mem)
	b.PostRecv(recv{SGEs: []verbs.SGE{b.SGE(0, c.BufferSize)}})
	words := atomicWords(b.Mem)
	runConcurrently(t, func() error {
		_, err := a.TryPost(send{Op: op, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, c.BufferSize)}}.Toward(b, 0))
		return err
	}, func() error {
		fixture.Eventually(t, "data arrives", func() bool { return words[0].Load() != 0 })
		b.To(verbs.QPReset, a)
		clear(b.Mem)
		return nil
	})
	wantUnwritten(t, words)
	wc := a.SendCQ.Next(1)[0]
	if wc.Status != verbs.WCSuccess && wc.Status != verbs.WCRetryExcErr {
		t.Fatalf("status %s, want %s", wc.Status, verbs.WCRetryExcErr)
	}
	return wc.Status == verbs.WCRetryExcErr
}

// TestDeregisterSourceDuringMessage covers a message whose source region is closed while it is
// read: it ends there, with an error, for unreliable types too.
func TestDeregisterSourceDuringMessage(t *testing.T) {
	for _, typ := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUC} {
		t.Run(typ.String(), func(t *testing.T) {
			fixture.Eventually(t, "a message ends before its last byte", func() bool {
				c := conf()
				c.Type, c.BufferSize = typ, 32<<20
				a, b := pair(t, c)
				fillFast(a.Mem)
				words := atomicWords(b.Mem)
				runConcurrently(t, func() error {
					_, err := a.TryPost(send{SGEs: []verbs.SGE{a.SGE(0, c.BufferSize)}, Flags: verbs.SendSignaled}.Toward(b, 0))
					return err
				}, func() error {
					fixture.Eventually(t, "data arrives", func() bool { return words[0].Load() != 0 })
					return a.MR.Close()
				})
				wc := a.SendCQ.Next(1)[0]
				if wc.Status != verbs.WCSuccess && wc.Status != verbs.WCLocProtErr {
					t.Fatalf("status %s, want %s", wc.Status, verbs.WCLocProtErr)
				}
				return wc.Status == verbs.WCLocProtErr
			})
		})
	}
}

package shm_test

import (
	"encoding/json"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

const addCount = 20000

// addToParent adds to the parent's first word repeatedly, half of the times by FETCH_AND_ADD and
// half by CMP_AND_SWP, and then sends a message.
func addToParent(t *testing.T, out *json.Encoder, in *json.Decoder) {
	s := newSide(t, conf())
	peer := s.connectProcess(t, out, in)
	word := &atomicWords(s.Mem)[0]
	run := func(w send) uint64 {
		w.Flags, w.SGEs, w.RemoteAddr, w.RKey = verbs.SendSignaled, []verbs.SGE{s.SGE(0, 8)}, peer.Addr, peer.RKey
		s.Post(w)
		s.SendCQ.Expect(0, verbs.WCSuccess)
		return word.Load()
	}
	for range addCount / 2 {
		run(send{Op: verbs.OpAtomicFetchAndAdd, CompareAdd: 1})
	}
	seen := run(send{Op: verbs.OpAtomicFetchAndAdd})
	for range addCount / 2 {
		for {
			was := run(send{Op: verbs.OpAtomicCmpAndSwp, CompareAdd: seen, Swap: seen + 1})
			if was == seen {
				seen++
				break
			}
			seen = was
		}
	}
	s.Post(send{Op: verbs.OpSend, Flags: verbs.SendSignaled})
	s.SendCQ.Expect(0, verbs.WCSuccess)
}

// TestAtomicsBetweenProcesses covers a word on which another process uses atomic operations, while
// this one uses CPU instructions and the operations of a second QP: no addition is lost.
func TestAtomicsBetweenProcesses(t *testing.T) {
	s := newSide(t, conf())
	other := startChild(t, "adder", nil)
	s.connectProcess(t, other.send, other.recv)
	s.PostRecv(recv{ID: 7})
	own, target := newSide(t, conf()), *s
	target.NewQP()
	fixture.Connect(own, &target)
	word := &atomicWords(s.Mem)[0]
	mine := uint64(0)
	var wc [1]verbs.WC
	for done := false; !done; mine += 2 {
		word.Add(1)
		own.Post(send{
			Op: verbs.OpAtomicFetchAndAdd, Flags: verbs.SendSignaled, CompareAdd: 1, SGEs: []verbs.SGE{own.SGE(0, 8)},
		}.Toward(s, 0))
		own.SendCQ.Expect(0, verbs.WCSuccess)
		n, err := s.RecvCQ.Poll(wc[:])
		noError(t, err)
		done = n == 1
	}
	if wc[0].WRID != 7 || wc[0].Status != verbs.WCSuccess {
		t.Fatalf("completion %+v", wc[0])
	}
	if got := word.Load(); got != addCount+mine {
		t.Errorf("%d additions by the other process and %d by this one resulted in %d", addCount, mine, got)
	}
}

// TestInvalidAtomicsAreRejected covers that PostSend rejects invalid atomic operations.
func TestInvalidAtomicsAreRejected(t *testing.T) {
	for _, op := range []verbs.Opcode{verbs.OpAtomicCmpAndSwp, verbs.OpAtomicFetchAndAdd} {
		a, b := pair(t, conf())
		good := send{ID: 1, Op: op, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(1, 3), a.SGE(9, 5)}}.Toward(b, 8)
		for name, spoil := range map[string]func(w *send){
			"misaligned":    func(w *send) { w.RemoteAddr += 4 },
			"7 bytes":       func(w *send) { w.SGEs = []verbs.SGE{a.SGE(0, 7)} },
			"16 bytes":      func(w *send) { w.SGEs = []verbs.SGE{a.SGE(0, 8), a.SGE(0, 8)} },
			"no SGE":        func(w *send) { w.SGEs = nil },
			"with INLINE":   func(w *send) { w.Flags |= verbs.SendInline },
			"too many SGEs": func(w *send) { w.SGEs = make([]verbs.SGE, a.Config.Cap.MaxSendSGE+1) },
		} {
			w := good
			spoil(&w)
			if bad, err := a.TryPost(w); bad != 0 {
				t.Errorf("%s, %s: bad_wr is request %d, %v", op, name, bad, err)
			} else {
				wantErrno(t, err, syscall.EINVAL)
			}
		}
		a.Post(good)
		a.SendCQ.Expect(1, verbs.WCSuccess)
	}
	c := conf()
	c.RdAtomic = 0
	a, b := pair(t, c)
	_, err := a.TryPost(send{Op: verbs.OpAtomicFetchAndAdd, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
	wantErrno(t, err, syscall.EINVAL)
}

// TestAtomicAccessChecks covers the access flags of the QP and the region, the responder's
// max_dest_rd_atomic, and LOCAL_WRITE of the result's memory.
func TestAtomicAccessChecks(t *testing.T) {
	without := verbs.Access(allRights &^ verbs.AccessRemoteAtomic)
	for name, c := range map[string]struct {
		spoil func(c *config)
		want  verbs.WCStatus
	}{
		"QP":     {func(c *config) { c.QPAccess = without }, verbs.WCRemInvReqErr},
		"depth":  {func(c *config) { c.DestRdAtomic = 0 }, verbs.WCRemInvReqErr},
		"region": {func(c *config) { c.Access = without }, verbs.WCRemAccessErr},
		"result": {nil, verbs.WCLocProtErr},
	} {
		t.Run(name, func(t *testing.T) {
			cf := conf()
			if c.spoil != nil {
				c.spoil(&cf)
			}
			a, b := pair(t, cf)
			into := a.SGE(0, 8)
			if c.spoil == nil {
				_, mr := a.Region(pageSize, verbs.AccessRemoteRead)
				into = verbs.SGE{Addr: mr.Addr(), Length: 8, LKey: mr.LKey()}
			}
			a.Post(send{ID: 1, Op: verbs.OpAtomicFetchAndAdd, CompareAdd: 1, SGEs: []verbs.SGE{into}}.Toward(b, 0))
			a.SendCQ.Expect(1, c.want)
			if got := atomicWords(b.Mem)[0].Load(); got != 0 {
				t.Errorf("the word is %d, want 0", got)
			}
		})
	}
}

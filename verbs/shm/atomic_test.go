package shm_test

import (
	"encoding/json"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

const additions = 20000

// adder adds to the parent's first word over and over, half of the times by
// FETCH_AND_ADD and half by CMP_AND_SWP, and then tells.
func adder(t *testing.T, out *json.Encoder, in *json.Decoder) {
	s := newSide(t, conf())
	peer := s.meet(t, out, in)
	word := &atomicWords(s.mem)[0]
	run := func(w send) uint64 {
		w.flags, w.sges, w.raddr, w.rkey = verbs.SendSignaled, []verbs.SGE{s.sge(0, 8)}, peer.Addr, peer.RKey
		s.mustPost(t, w)
		pollOne(t, s.sendCQ, 0, verbs.WCSuccess)
		return word.Load()
	}
	for range additions / 2 {
		run(send{op: verbs.OpAtomicFetchAndAdd, compareAdd: 1})
	}
	seen := run(send{op: verbs.OpAtomicFetchAndAdd})
	for range additions / 2 {
		for {
			was := run(send{op: verbs.OpAtomicCmpAndSwp, compareAdd: seen, swap: seen + 1})
			if was == seen {
				seen++
				break
			}
			seen = was
		}
	}
	s.mustPost(t, send{op: verbs.OpSend, flags: verbs.SendSignaled})
	pollOne(t, s.sendCQ, 0, verbs.WCSuccess)
}

// TestAtomicBetweenProcesses: a word that another process works on by atomic
// operations, while this one does by instructions and by a second QP's, loses nothing.
func TestAtomicBetweenProcesses(t *testing.T) {
	s := newSide(t, conf())
	other := startChild(t, "adder", nil)
	s.meet(t, other.send, other.recv)
	s.mustRecv(t, recv{id: 7})
	own, target := newSide(t, conf()), *s
	target.newQP(t)
	connect(t, own, &target)
	word := &atomicWords(s.mem)[0]
	mine := uint64(0)
	var wc [1]verbs.WC
	for done := false; !done; mine += 2 {
		word.Add(1)
		own.mustPost(t, send{
			op: verbs.OpAtomicFetchAndAdd, flags: verbs.SendSignaled, compareAdd: 1, sges: []verbs.SGE{own.sge(0, 8)},
		}.toward(s, 0))
		pollOne(t, own.sendCQ, 0, verbs.WCSuccess)
		n, err := s.recvCQ.Poll(wc[:])
		noError(t, err)
		done = n == 1
	}
	if wc[0].WRID != 7 || wc[0].Status != verbs.WCSuccess {
		t.Fatalf("completion %+v", wc[0])
	}
	if got := word.Load(); got != additions+mine {
		t.Errorf("%d additions there and %d here made %d", additions, mine, got)
	}
}

// TestRefusedAtomics: what is wrong with an atomic operation is told when it is posted.
func TestRefusedAtomics(t *testing.T) {
	for _, op := range []verbs.Opcode{verbs.OpAtomicCmpAndSwp, verbs.OpAtomicFetchAndAdd} {
		a, b := pair(t, conf())
		good := send{id: 1, op: op, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(1, 3), a.sge(9, 5)}}.toward(b, 8)
		for name, spoil := range map[string]func(w *send){
			"misaligned":     func(w *send) { w.raddr += 4 },
			"7 bytes":        func(w *send) { w.sges = []verbs.SGE{a.sge(0, 7)} },
			"16 bytes":       func(w *send) { w.sges = []verbs.SGE{a.sge(0, 8), a.sge(0, 8)} },
			"nothing":        func(w *send) { w.sges = nil },
			"with INLINE":    func(w *send) { w.flags |= verbs.SendInline },
			"more than SGEs": func(w *send) { w.sges = make([]verbs.SGE, a.conf.cap.MaxSendSGE+1) },
		} {
			w := good
			spoil(&w)
			if bad, err := a.post(w); bad != 0 {
				t.Errorf("%s, %s: %v", op, name, err)
			} else {
				wantErrno(t, err, syscall.EINVAL)
			}
		}
		a.mustPost(t, good)
		pollOne(t, a.sendCQ, 1, verbs.WCSuccess)
	}
	c := conf()
	c.rdAtomic = 0
	a, b := pair(t, c)
	_, err := a.post(send{op: verbs.OpAtomicFetchAndAdd, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
	wantErrno(t, err, syscall.EINVAL)
}

// TestAtomicRights: the right of the QP, the right of the region and the depth of
// the responder are asked for, and LOCAL_WRITE of where the result goes.
func TestAtomicRights(t *testing.T) {
	without := verbs.Access(allRights &^ verbs.AccessRemoteAtomic)
	for name, c := range map[string]struct {
		spoil func(c *config)
		want  verbs.WCStatus
	}{
		"QP":     {func(c *config) { c.qpAccess = without }, verbs.WCRemInvReqErr},
		"depth":  {func(c *config) { c.destRdAtomic = 0 }, verbs.WCRemInvReqErr},
		"region": {func(c *config) { c.access = without }, verbs.WCRemAccessErr},
		"result": {nil, verbs.WCLocProtErr},
	} {
		t.Run(name, func(t *testing.T) {
			cf := conf()
			if c.spoil != nil {
				c.spoil(&cf)
			}
			a, b := pair(t, cf)
			into := a.sge(0, 8)
			if c.spoil == nil {
				_, mr := a.register(t, pageSize, verbs.AccessRemoteRead)
				into = verbs.SGE{Addr: mr.Addr(), Length: 8, LKey: mr.LKey()}
			}
			a.mustPost(t, send{id: 1, op: verbs.OpAtomicFetchAndAdd, compareAdd: 1, sges: []verbs.SGE{into}}.toward(b, 0))
			pollOne(t, a.sendCQ, 1, c.want)
			if got := atomicWords(b.mem)[0].Load(); got != 0 {
				t.Errorf("the word is %d", got)
			}
		})
	}
}

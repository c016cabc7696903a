package shm_test

import (
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// What the embedded device refuses beyond what every device must, or more
// exactly than others do.

// inState makes a connected pair of which a is in the state; b is in RTS.
func inState(t *testing.T, c config, state verbs.QPState) (a, b *side) {
	t.Helper()
	a, b = newSide(t, c), newSide(t, c)
	path := map[verbs.QPState][]verbs.QPState{
		verbs.QPReset: nil,
		verbs.QPInit:  {verbs.QPInit},
		verbs.QPRTR:   {verbs.QPInit, verbs.QPRTR},
		verbs.QPRTS:   {verbs.QPInit, verbs.QPRTR, verbs.QPRTS},
		verbs.QPSQD:   {verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD},
		verbs.QPErr:   {verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPErr},
	}
	for _, s := range path[verbs.QPRTS] {
		b.to(t, s, a)
	}
	for _, s := range path[state] {
		a.to(t, s, b)
	}
	return a, b
}

var states = []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD, verbs.QPErr}

func TestRefusedSends(t *testing.T) {
	a, b := pair(t, conf())
	many := make([]verbs.SGE, a.conf.cap.MaxSendSGE+1)
	cases := map[string]send{
		"atomic of 16 bytes": {op: verbs.OpAtomicFetchAndAdd, sges: []verbs.SGE{a.sge(0, 16)}},
		"atomic of 7 bytes":  {op: verbs.OpAtomicCmpAndSwp, sges: []verbs.SGE{a.sge(0, 7)}},
		"inline atomic":      {op: verbs.OpAtomicFetchAndAdd, flags: verbs.SendInline, sges: []verbs.SGE{a.sge(0, 8)}},
		"TSO":                {op: 10},
		"no operation":       {op: 1 << 31},
		"inline READ":        {op: verbs.OpRDMARead, flags: verbs.SendInline, sges: []verbs.SGE{a.sge(0, 8)}},
		"too many SGEs":      {sges: many},
		"too much inline":    {flags: verbs.SendInline, sges: []verbs.SGE{a.sge(0, a.conf.cap.MaxInlineData+1)}},
	}
	for name, w := range cases {
		t.Run(name, func(t *testing.T) {
			bad, err := a.post(send{}.toward(b, 0), w.toward(b, 0))
			wantErrno(t, err, syscall.EINVAL)
			if bad != 1 {
				t.Errorf("bad_wr is request %d, want 1", bad)
			}
			a.wantState(t, verbs.QPRTS)
		})
	}
}

// TestRefusedByState: the request that was refused is told.
func TestRefusedByState(t *testing.T) {
	for _, state := range states[:3] {
		a, b := inState(t, conf(), state)
		bad, err := a.post(send{}.toward(b, 0))
		wantErrno(t, err, syscall.EINVAL)
		if bad != 0 {
			t.Errorf("post_send in %s: bad_wr is request %d", state, bad)
		}
	}
	a, _ := inState(t, conf(), verbs.QPReset)
	bad, err := a.postRecv(recv{})
	wantErrno(t, err, syscall.EINVAL)
	if bad != 0 {
		t.Errorf("post_recv in RESET: bad_wr is receive %d", bad)
	}
}

func TestRefusedMoves(t *testing.T) {
	cases := []struct {
		name  string
		from  verbs.QPState
		spoil func(a *verbs.QPAttr)
		want  syscall.Errno
	}{
		{"sgid_index", verbs.QPInit, func(a *verbs.QPAttr) { a.AH.GRH.SGIDIndex = 1 }, syscall.EINVAL},
		{"min_rnr_timer", verbs.QPInit, func(a *verbs.QPAttr) { a.MinRNRTimer = 32 }, syscall.EINVAL},
		{"rnr_retry", verbs.QPRTR, func(a *verbs.QPAttr) { a.RNRRetry = 8 }, syscall.EINVAL},
		{"no such peer", verbs.QPInit, func(a *verbs.QPAttr) { a.AH.GRH.DGID[15] ^= 2 }, syscall.ETIMEDOUT},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a, b := inState(t, conf(), c.from)
			attr, mask := a.move(t, c.from+1, b)
			c.spoil(attr)
			wantErrno(t, a.qp.Modify(attr, mask), c.want)
			a.wantState(t, c.from)
			a.to(t, c.from+1, b)
		})
	}
}

// TestAddressInSQD: a QP in SQD can be given another path, but no other device.
func TestAddressInSQD(t *testing.T) {
	a, b := inState(t, conf(), verbs.QPSQD)
	other := newSide(t, conf())
	move := func(peer *side) error {
		attr, _ := a.move(t, verbs.QPRTR, peer)
		return a.qp.Modify(&verbs.QPAttr{State: verbs.QPSQD, AH: attr.AH}, verbs.MaskState|verbs.MaskAV)
	}
	wantErrno(t, move(other), syscall.EINVAL)
	noError(t, move(b))
	noError(t, a.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
	a.mustPost(t, send{id: 1, flags: verbs.SendSignaled}.toward(b, 0))
	pollOne(t, a.sendCQ, 1, verbs.WCSuccess)
}

// TestMixedContexts: objects of two contexts do not go together.
func TestMixedContexts(t *testing.T) {
	s, other := newSide(t, conf()), newSide(t, conf())
	_, err := s.pd.CreateQP(&verbs.QPInitAttr{SendCQ: s.sendCQ, RecvCQ: other.recvCQ, Type: verbs.QPTypeRC})
	wantErrno(t, err, syscall.EINVAL)
	_, err = s.pd.CreateQP(&verbs.QPInitAttr{Type: verbs.QPTypeRC})
	wantErrno(t, err, syscall.EINVAL)
	ch := must(other.ctx.CreateCompChannel())(t)
	_, err = s.ctx.CreateCQ(1, ch, 0)
	wantErrno(t, err, syscall.EINVAL)
	noError(t, ch.Close())
}

// TestRefusedQPs: transports that the device lacks, and sizes that make no sense.
func TestRefusedQPs(t *testing.T) {
	s := newSide(t, conf())
	create := func(cap verbs.QPCap, kind verbs.QPType) error {
		_, err := s.pd.CreateQP(&verbs.QPInitAttr{SendCQ: s.sendCQ, RecvCQ: s.recvCQ, Cap: cap, Type: kind})
		return err
	}
	for _, cap := range []verbs.QPCap{{MaxInlineData: 1 << 20}, {MaxSendWR: -1}, {MaxRecvSGE: -1}} {
		wantErrno(t, create(cap, verbs.QPTypeRC), syscall.EINVAL)
	}
	for _, kind := range []verbs.QPType{8, 255} {
		wantErrno(t, create(verbs.QPCap{}, kind), verbs.ErrNotSupported)
	}
	for _, kind := range []verbs.QPType{0, 1, verbs.QPTypeXRCRecv, 77} {
		wantErrno(t, create(verbs.QPCap{}, kind), syscall.EINVAL)
	}
}

package shm_test

import (
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// Arguments that the embedded device rejects beyond the conformance suite, or with a more precise
// error.

// inState returns a connected pair of which a is in the state and b in RTS.
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
		b.To(s, a)
	}
	for _, s := range path[state] {
		a.To(s, b)
	}
	return a, b
}

var states = []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD, verbs.QPErr}

func TestInvalidSendsAreRejected(t *testing.T) {
	a, b := pair(t, conf())
	many := make([]verbs.SGE, a.Config.Cap.MaxSendSGE+1)
	cases := map[string]send{
		"atomic of 16 bytes": {Op: verbs.OpAtomicFetchAndAdd, SGEs: []verbs.SGE{a.SGE(0, 16)}},
		"atomic of 7 bytes":  {Op: verbs.OpAtomicCmpAndSwp, SGEs: []verbs.SGE{a.SGE(0, 7)}},
		"inline atomic":      {Op: verbs.OpAtomicFetchAndAdd, Flags: verbs.SendInline, SGEs: []verbs.SGE{a.SGE(0, 8)}},
		"TSO":                {Op: 10},
		"unknown opcode":     {Op: 1 << 31},
		"inline READ":        {Op: verbs.OpRDMARead, Flags: verbs.SendInline, SGEs: []verbs.SGE{a.SGE(0, 8)}},
		"too many SGEs":      {SGEs: many},
		"too much inline":    {Flags: verbs.SendInline, SGEs: []verbs.SGE{a.SGE(0, a.Config.Cap.MaxInlineData+1)}},
	}
	for name, w := range cases {
		t.Run(name, func(t *testing.T) {
			bad, err := a.TryPost(send{}.Toward(b, 0), w.Toward(b, 0))
			wantErrno(t, err, syscall.EINVAL)
			if bad != 1 {
				t.Errorf("bad_wr is request %d, want 1", bad)
			}
			a.IsIn(verbs.QPRTS)
		})
	}
}

// TestPostsAreRejectedByState covers that bad_wr is the request that the state does not allow.
func TestPostsAreRejectedByState(t *testing.T) {
	for _, state := range states[:3] {
		a, b := inState(t, conf(), state)
		bad, err := a.TryPost(send{}.Toward(b, 0))
		wantErrno(t, err, syscall.EINVAL)
		if bad != 0 {
			t.Errorf("post_send in %s: bad_wr is request %d", state, bad)
		}
	}
	a, _ := inState(t, conf(), verbs.QPReset)
	bad, err := a.TryPostRecv(recv{})
	wantErrno(t, err, syscall.EINVAL)
	if bad != 0 {
		t.Errorf("post_recv in RESET: bad_wr is receive %d", bad)
	}
}

func TestInvalidModifyIsRejected(t *testing.T) {
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
			attr, mask := a.Move(c.from+1, b)
			c.spoil(attr)
			wantErrno(t, a.QP.Modify(attr, mask), c.want)
			a.IsIn(c.from)
			a.To(c.from+1, b)
		})
	}
}

// TestAddressVectorInSQD covers that a QP in SQD can get another path, but not another device.
func TestAddressVectorInSQD(t *testing.T) {
	a, b := inState(t, conf(), verbs.QPSQD)
	other := newSide(t, conf())
	move := func(peer *side) error {
		attr, _ := a.Move(verbs.QPRTR, peer)
		return a.QP.Modify(&verbs.QPAttr{State: verbs.QPSQD, AH: attr.AH}, verbs.MaskState|verbs.MaskAV)
	}
	wantErrno(t, move(other), syscall.EINVAL)
	noError(t, move(b))
	noError(t, a.QP.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
	a.Post(send{ID: 1, Flags: verbs.SendSignaled}.Toward(b, 0))
	a.SendCQ.Expect(1, verbs.WCSuccess)
}

// TestObjectsOfTwoContextsDoNotMix covers that objects of two contexts cannot be combined.
func TestObjectsOfTwoContextsDoNotMix(t *testing.T) {
	s, other := newSide(t, conf()), newSide(t, conf())
	_, err := s.PD.CreateQP(&verbs.QPInitAttr{SendCQ: s.SendCQ.CQ, RecvCQ: other.RecvCQ.CQ, Type: verbs.QPTypeRC})
	wantErrno(t, err, syscall.EINVAL)
	_, err = s.PD.CreateQP(&verbs.QPInitAttr{Type: verbs.QPTypeRC})
	wantErrno(t, err, syscall.EINVAL)
	ch := must(other.Ctx.CreateCompChannel())(t)
	_, err = s.Ctx.CreateCQ(1, ch, 0)
	wantErrno(t, err, syscall.EINVAL)
	noError(t, ch.Close())
}

// TestInvalidQPsAreRejected covers unsupported transports and invalid sizes.
func TestInvalidQPsAreRejected(t *testing.T) {
	s := newSide(t, conf())
	create := func(cap verbs.QPCap, kind verbs.QPType) error {
		_, err := s.PD.CreateQP(&verbs.QPInitAttr{SendCQ: s.SendCQ.CQ, RecvCQ: s.RecvCQ.CQ, Cap: cap, Type: kind})
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

package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var reregStatements = []statement{
	{"MR-19", "rereg_mr refuses what it does not know, and leaves the region as it was", refusedRereg},
	{"MR-20", "rereg_mr changes access, memory and domain of a region; what relied on the old ones fails", rereg},
}

// rereg changes a region. It skips the statement on a device that cannot.
func (s *side) rereg(mr verbs.MR, flags verbs.ReregFlags, pd verbs.PD, mem []byte, access verbs.Access) {
	s.Helper()
	err := s.reregistrar(mr).Rereg(flags, pd, mem, access)
	if errors.Is(err, verbs.ErrNotSupported) {
		s.Skip("rereg_mr: the device has none")
	}
	s.ok(err)
}

func (s *side) reregistrar(mr verbs.MR) verbs.Reregistrar {
	s.Helper()
	r, ok := mr.(verbs.Reregistrar)
	if !ok {
		s.Skip("rereg_mr: the backend has none")
	}
	return r
}

func refusedRereg(e *env) {
	a, b := e.pair(conf())
	for _, c := range []struct {
		what   string
		flags  verbs.ReregFlags
		mem    []byte
		access verbs.Access
	}{
		{"an unknown flag", 1 << 3, nil, 0},
		{"access without its flag", verbs.ReregTranslation, b.Mem, allRights},
		{"no memory", verbs.ReregTranslation, nil, 0},
	} {
		err := b.reregistrar(b.MR).Rereg(c.flags, nil, c.mem, c.access)
		e.refused("rereg_mr with "+c.what, err, syscall.EINVAL)
	}
	a.Post(send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
	a.SendCQ.Expect(1, verbs.WCSuccess)
}

func rereg(e *env) {
	e.sub("access", func(e *env) {
		a, b := e.pair(conf())
		_, mr := b.Region(64, allRights)
		b.rereg(mr, verbs.ReregAccess, nil, nil, verbs.AccessLocalWrite)
		a.refusedByPeer(send{SGEs: []verbs.SGE{a.SGE(0, 8)}}.Into(mr, 0))
	})
	e.sub("memory", func(e *env) {
		a, b := e.pair(conf())
		next := b.buffer(8192)
		old, mr := b.Region(64, allRights)
		was := send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Into(mr, 0)
		b.rereg(mr, verbs.ReregTranslation, nil, next.Bytes()[:128], 0)
		if mr.Addr() != next.Addr() || mr.Len() != 128 {
			e.Errorf("the region is %d bytes at %#x", mr.Len(), mr.Addr())
		}
		fixture.Fill(a.Mem[:8], 3)
		a.Post(send{ID: 2, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Into(mr, 120))
		a.SendCQ.Expect(2, verbs.WCSuccess)
		e.holds(next.Bytes()[120:128], string(a.Mem[:8]))
		a.refusedByPeer(was)
		if touched(old) {
			e.Error("bytes were written to the old memory")
		}
	})
	e.sub("domain", func(e *env) {
		a, b := e.pair(conf())
		pd := b.env.pd(b.Ctx)
		_, mr := b.Region(64, allRights)
		b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{fixture.SGEOf(mr, 0, 64)}})
		b.rereg(mr, verbs.ReregPD, pd, nil, 0)
		a.Post(send{ID: 2, Op: opSend, SGEs: []verbs.SGE{a.SGE(0, 8)}})
		a.SendCQ.Expect(2, verbs.WCRemOpErr)
	})
}

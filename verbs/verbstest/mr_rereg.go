package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

var reregStatements = []statement{
	{"MR-19", "rereg_mr refuses what it does not know, and leaves the region as it was", refusedRereg},
	{"MR-20", "rereg_mr changes access, memory and domain of a region; what relied on the old ones fails", rereg},
}

// rereg changes a region; where that cannot be done the statement is skipped.
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
		{"access without its flag", verbs.ReregTranslation, b.mem, allRights},
		{"no memory", verbs.ReregTranslation, nil, 0},
	} {
		err := b.reregistrar(b.mr).Rereg(c.flags, nil, c.mem, c.access)
		e.refused("rereg_mr with "+c.what, err, syscall.EINVAL)
	}
	a.post(send{id: 1, flags: signaled, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
	a.sendCQ.gives(1, verbs.WCSuccess)
}

func rereg(e *env) {
	e.sub("access", func(e *env) {
		a, b := e.pair(conf())
		_, mr := b.region(64, allRights)
		b.rereg(mr, verbs.ReregAccess, nil, nil, verbs.AccessLocalWrite)
		a.refusedByPeer(send{sges: []verbs.SGE{a.sge(0, 8)}}.into(mr, 0))
	})
	e.sub("memory", func(e *env) {
		a, b := e.pair(conf())
		next := b.buffer(8192)
		old, mr := b.region(64, allRights)
		was := send{id: 1, flags: signaled, sges: []verbs.SGE{a.sge(0, 8)}}.into(mr, 0)
		b.rereg(mr, verbs.ReregTranslation, nil, next.Bytes()[:128], 0)
		if mr.Addr() != next.Addr() || mr.Len() != 128 {
			e.Errorf("the region is %d bytes at %#x", mr.Len(), mr.Addr())
		}
		fill(a.mem[:8], 3)
		a.post(send{id: 2, flags: signaled, sges: []verbs.SGE{a.sge(0, 8)}}.into(mr, 120))
		a.sendCQ.gives(2, verbs.WCSuccess)
		e.holds(next.Bytes()[120:128], string(a.mem[:8]))
		a.refusedByPeer(was)
		if touched(old) {
			e.Error("bytes were written to the old memory")
		}
	})
	e.sub("domain", func(e *env) {
		a, b := e.pair(conf())
		pd := b.env.pd(b.ctx)
		_, mr := b.region(64, allRights)
		b.recv(recv{id: 1, sges: []verbs.SGE{sgeOf(mr, 0, 64)}})
		b.rereg(mr, verbs.ReregPD, pd, nil, 0)
		a.post(send{id: 2, op: opSend, sges: []verbs.SGE{a.sge(0, 8)}})
		a.sendCQ.gives(2, verbs.WCRemOpErr)
	})
}

package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var domainStatements = []statement{
	{"TD-1", "a parent domain, with and without a thread domain, can replace its domain", parentDomain},
	{"TD-2", "the domains of a parent domain are busy", parentBusy},
	{"MR-25", "advise_mr takes ranges of regions, and no others", advice},
	{"MR-26", "reg_dmabuf_mr refuses a descriptor that is not a dma-buf", noDMABuf},
}

// parent makes a parent domain. It skips the statement on a device that has none.
func (s *side) parent(of verbs.PD, by verbs.TD) verbs.PD {
	s.Helper()
	pd, err := s.parents().AllocParentDomain(of, by)
	if errors.Is(err, verbs.ErrNotSupported) {
		s.Skip("parent domains: the device has none")
	}
	return own(s.env, pd, err)
}

func (s *side) parents() verbs.ParentDomainAllocator {
	s.Helper()
	p, ok := s.Ctx.(verbs.ParentDomainAllocator)
	if !ok {
		s.Skip("parent domains: the backend has none")
	}
	return p
}

func (s *side) threadDomain() verbs.TD {
	s.Helper()
	td, err := s.parents().AllocTD()
	if errors.Is(err, verbs.ErrNotSupported) {
		s.Skip("thread domains: the device has none")
	}
	return own(s.env, td, err)
}

func parentDomain(e *env) {
	for name, threads := range map[string]bool{"alone": false, "with a thread domain": true} {
		e.sub(name, func(e *env) {
			a, b := e.side(conf()), e.side(conf())
			var td verbs.TD
			if threads {
				td = b.threadDomain()
			}
			b.PD = b.parent(b.PD, td) // the region stays in the domain
			b.NewQP()
			fixture.Connect(a, b)
			a.Post(send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
			a.SendCQ.Expect(1, verbs.WCSuccess)
			_, mr := b.Region(64, allRights)
			b.Post(send{ID: 2, Op: opRead, Flags: signaled, SGEs: []verbs.SGE{fixture.SGEOf(mr, 0, 64)}}.Toward(a, 0))
			b.SendCQ.Expect(2, verbs.WCSuccess)
		})
	}
}

func parentBusy(e *env) {
	s := e.side(conf())
	td := s.threadDomain()
	pd := s.env.pd(s.Ctx)
	parent := s.parent(pd, td)
	e.refused("dealloc_pd with a parent domain", pd.Close(), syscall.EBUSY)
	e.refused("dealloc_td with a parent domain", td.Close(), syscall.EBUSY)
	e.close(parent)
	e.close(td)
	e.close(pd)
}

func advice(e *env) {
	s := e.side(conf())
	a, ok := s.PD.(verbs.Advisor)
	if !ok {
		e.Skip("advise_mr: the backend has none")
	}
	mr, err := s.PD.RegMR(s.Mem, allRights|verbs.AccessOnDemand)
	if err != nil {
		mr = s.MR // without ODP the device may take advice on any region, or none
	} else {
		own(e, mr, nil)
	}
	err = a.AdviseMR(verbs.AdvicePrefetchWrite, true, []verbs.SGE{fixture.SGEOf(mr, 0, len(s.Mem))})
	if errors.Is(err, verbs.ErrNotSupported) {
		e.Skip("advise_mr: the device has none")
	}
	e.ok(err)
	e.ok(a.AdviseMR(verbs.AdvicePrefetch, false, []verbs.SGE{fixture.SGEOf(mr, 0, 8), fixture.SGEOf(mr, len(s.Mem)-8, 8)}))
	unknown := withLKey(fixture.SGEOf(mr, 0, 8), 0xbad00)
	err = a.AdviseMR(verbs.AdvicePrefetch, true, []verbs.SGE{unknown})
	e.refused("advise_mr of an unknown key", err, syscall.ENOENT, syscall.EINVAL, syscall.EFAULT)
	e.refused("advise_mr with an unknown advice", a.AdviseMR(99, true, []verbs.SGE{fixture.SGEOf(mr, 0, 8)}), syscall.EINVAL, verbs.ErrNotSupported)
}

func noDMABuf(e *env) {
	s := e.side(conf())
	r, ok := s.PD.(verbs.DMABufRegistrar)
	if !ok {
		e.Skip("reg_dmabuf_mr: the backend has none")
	}
	_, err := r.RegDMABufMR(0, 4096, 0, -1, allRights)
	if errors.Is(err, verbs.ErrNotSupported) {
		e.Skip("reg_dmabuf_mr: the device has none")
	}
	e.refused("reg_dmabuf_mr without a descriptor", err, syscall.EBADF)
	_, err = r.RegDMABufMR(0, 0, 0, -1, allRights)
	e.refused("reg_dmabuf_mr of 0 bytes", err, syscall.EINVAL)
}

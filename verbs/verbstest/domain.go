package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

var domainStatements = []statement{
	{"TD-1", "a parent domain, with and without a thread domain, stands for its domain", parentDomain},
	{"TD-2", "domains that a parent domain is made of are busy", parentBusy},
	{"MR-25", "advise_mr takes ranges of regions, and no others", advice},
	{"MR-26", "reg_dmabuf_mr refuses what is no dma-buf", noDMABuf},
}

// parent makes a parent domain; where there are none the statement is skipped.
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
	p, ok := s.ctx.(verbs.ParentDomainAllocator)
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
			b.pd = b.parent(b.pd, td) // the region stays one of the domain
			b.newQP()
			connect(a, b)
			a.post(send{id: 1, flags: signaled, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
			a.sendCQ.gives(1, verbs.WCSuccess)
			_, mr := b.region(64, allRights)
			b.post(send{id: 2, op: opRead, flags: signaled, sges: []verbs.SGE{sgeOf(mr, 0, 64)}}.toward(a, 0))
			b.sendCQ.gives(2, verbs.WCSuccess)
		})
	}
}

func parentBusy(e *env) {
	s := e.side(conf())
	td := s.threadDomain()
	pd := s.env.pd(s.ctx)
	parent := s.parent(pd, td)
	e.refused("dealloc_pd with a parent domain", pd.Close(), syscall.EBUSY)
	e.refused("dealloc_td with a parent domain", td.Close(), syscall.EBUSY)
	e.close(parent)
	e.close(td)
	e.close(pd)
}

func advice(e *env) {
	s := e.side(conf())
	a, ok := s.pd.(verbs.Advisor)
	if !ok {
		e.Skip("advise_mr: the backend has none")
	}
	mr, err := s.pd.RegMR(s.mem, allRights|verbs.AccessOnDemand)
	if err != nil {
		mr = s.mr // without ODP the device may take advice on any region, or none
	} else {
		own(e, mr, nil)
	}
	err = a.AdviseMR(verbs.AdvicePrefetchWrite, true, []verbs.SGE{sgeOf(mr, 0, len(s.mem))})
	if errors.Is(err, verbs.ErrNotSupported) {
		e.Skip("advise_mr: the device has none")
	}
	e.ok(err)
	e.ok(a.AdviseMR(verbs.AdvicePrefetch, false, []verbs.SGE{sgeOf(mr, 0, 8), sgeOf(mr, len(s.mem)-8, 8)}))
	unknown := badKey(sgeOf(mr, 0, 8), 0xbad00)
	err = a.AdviseMR(verbs.AdvicePrefetch, true, []verbs.SGE{unknown})
	e.refused("advise_mr of an unknown key", err, syscall.ENOENT, syscall.EINVAL, syscall.EFAULT)
	e.refused("advise_mr with an unknown advice", a.AdviseMR(99, true, []verbs.SGE{sgeOf(mr, 0, 8)}), syscall.EINVAL, verbs.ErrNotSupported)
}

func noDMABuf(e *env) {
	s := e.side(conf())
	r, ok := s.pd.(verbs.DMABufRegistrar)
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

package wrap

import "github.com/ibperf/ibperf/verbs"

// region is a region of a device that scatters, which must know where its memory is.
type region struct {
	verbs.MR
	pd  *pd
	buf []byte
}

// plain hides what a region can do beside a [verbs.MR]: the domains and queues that it would
// name are wrapped.
type plain struct{ verbs.MR }

// know notes a region that messages may come into.
func (p *pd) know(mr verbs.MR, buf []byte, access verbs.Access) verbs.MR {
	if p.ctx.options.ScatterToCQE == 0 || access&verbs.AccessLocalWrite == 0 {
		return plain{mr}
	}
	r := &region{mr, p, buf}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.regions[mr.LKey()] = r
	return r
}

func (r *region) Close() error {
	key := r.LKey()
	if err := r.MR.Close(); err != nil {
		return err
	}
	r.pd.mu.Lock()
	defer r.pd.mu.Unlock()
	if r.pd.regions[key] == r {
		delete(r.pd.regions, key)
	}
	return nil
}

// at returns the memory of an SGE, nil if there is none.
func (p *pd) at(e verbs.SGE) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.regions[e.LKey]
	if r == nil || e.Addr < r.Addr() || e.Addr-r.Addr() > uint64(len(r.buf)) {
		return nil
	}
	buf := r.buf[e.Addr-r.Addr():]
	if uint64(e.Length) > uint64(len(buf)) {
		return nil
	}
	return buf[:e.Length]
}

package testdevice

import "github.com/ibperf/ibperf/verbs"

// region is a region of a device with scatter to CQE, with its memory.
type region struct {
	verbs.MR
	pd  *pd
	buf []byte
}

// plain hides the optional interfaces of a region, whose arguments would be wrapped objects.
type plain struct{ verbs.MR }

// know adds a region, into which messages may be received.
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

// at returns the memory of an SGE, or nil.
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

package shm

import (
	"sync"
	"sync/atomic"

	"github.com/ibperf/ibperf/internal/memfd"
	"github.com/ibperf/ibperf/verbs"
)

type pd struct {
	ctx *context
	id  uint32

	mu     sync.Mutex
	users  int
	closed bool
}

func (p *pd) use(n int) {
	p.mu.Lock()
	p.users += n
	p.mu.Unlock()
}

func (p *pd) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed || p.ctx.isClosed()
}

func (p *pd) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users > 0 {
		return p.ctx.err("dealloc_pd", ebusy, "memory regions or QPs of the domain are alive")
	}
	p.closed = true
	return nil
}

// mr is a memory region. Its owner uses this; peers use its entry in the directory.
type mr struct {
	pd     *pd
	key    uint32
	access verbs.Access
	buf    []byte
	addr   uint64
	file   *memfd.File
}

const (
	remoteRights = verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic
	knownRights  = remoteRights | verbs.AccessLocalWrite | verbs.AccessOptional
	// All memory of the device is resident: ON_DEMAND asks for nothing more.
	regionFlags = knownRights | verbs.AccessZeroBased | verbs.AccessOnDemand
)

func (p *pd) RegMR(buf []byte, access verbs.Access) (verbs.MR, error) {
	return p.register("reg_mr", buf, access, nil)
}

func (p *pd) RegMRIova(buf []byte, iova uint64, access verbs.Access) (verbs.MR, error) {
	return p.register("reg_mr_iova", buf, access, &iova)
}

// register makes a region, which work requests name by the addresses from iova
// on; nil: those at which it is mapped.
func (p *pd) register(verb string, buf []byte, access verbs.Access, iova *uint64) (verbs.MR, error) {
	c := p.ctx
	if p.isClosed() {
		return nil, c.err(verb, ebadf, closedText)
	}
	if access&^regionFlags != 0 {
		return nil, c.err(verb, einval, "access "+(access&^regionFlags).String()+" is not offered")
	}
	if access&(verbs.AccessRemoteWrite|verbs.AccessRemoteAtomic) != 0 && access&verbs.AccessLocalWrite == 0 {
		return nil, c.err(verb, einval, "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE")
	}
	if len(buf) == 0 {
		return nil, c.err(verb, einval, "length is 0")
	}
	file, off := memfd.Hold(buf)
	if file == nil {
		return nil, c.err(verb, efault, "the memory is not of a verbs.Buffer; only that can be shared with a peer process")
	}
	addr, why := nameRegion(file.Addr()+uint64(off), len(buf), access, iova)
	if why != "" {
		file.Release()
		return nil, c.err(verb, einval, why)
	}
	m := &mr{pd: p, access: access, buf: buf, addr: addr, file: file}
	if err := c.enterMR(m, off); err != nil {
		file.Release()
		return nil, err
	}
	p.use(1)
	return m, nil
}

const pageSize = 4096

// nameRegion returns the address by which requests name the first byte of a
// region that is mapped at va.
func nameRegion(va uint64, n int, access verbs.Access, iova *uint64) (addr uint64, why string) {
	switch {
	case access&verbs.AccessZeroBased != 0:
		return 0, ""
	case iova == nil:
		return va, ""
	case (*iova^va)%pageSize != 0:
		return 0, "iova must be as far into a page as the buffer is"
	case *iova+uint64(n)-1 < *iova:
		return 0, "iova and length wrap around"
	}
	return *iova, ""
}

// enterMR gives the region a key and shows it to peers.
func (c *context) enterMR(m *mr, off int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range maxMR {
		c.nextMR = c.nextMR%(maxMR-1) + 1
		if c.mrs[c.nextMR].Load() == nil {
			break
		}
	}
	i := c.nextMR
	if c.mrs[i].Load() != nil {
		return c.err("reg_mr", enomem, "all regions are in use")
	}
	c.mrGen[i]++
	m.key = i<<8 | uint32(c.mrGen[i])
	e := &c.dir.mrs[i]
	e.access, e.pd, e.region = uint32(m.access), m.pd.id, m.file.ID()
	e.addr, e.length, e.offset = m.addr, uint64(len(m.buf)), uint64(off)
	c.keepRegion(m.file)
	c.mrs[i].Store(m)
	atomic.StoreUint32(&e.key, m.key)
	return nil
}

func (m *mr) Addr() uint64 { return m.addr }
func (m *mr) Len() int     { return len(m.buf) }
func (m *mr) LKey() uint32 { return m.key }

func (m *mr) RKey() uint32 {
	if m.access&remoteRights == 0 {
		return 0
	}
	return m.key
}

func (m *mr) Close() error {
	c := m.pd.ctx
	c.mu.Lock()
	i := keyIndex(m.key)
	if c.mrs[i].Load() != m {
		c.mu.Unlock()
		return nil
	}
	atomic.StoreUint32(&c.dir.mrs[i].key, 0)
	c.mrs[i].Store(nil)
	c.dropRegion(m.file)
	c.dir.change()
	c.mu.Unlock()
	err := await(c.turns((*qp).turns))
	m.file.Release()
	m.pd.use(-1)
	if err != nil {
		return c.err("dereg_mr", etimedout, err.Error()+": its process has stopped, and may store to the memory when it goes on; "+
			"end it before the memory is used again")
	}
	return nil
}

// local returns the memory that an SGE of this side names, or nil if key,
// domain, bounds or access do not allow it.
func (c *context) local(s verbs.SGE, pd *pd, need verbs.Access) []byte {
	w := c.window(s.LKey, pd, need)
	return w.at(s.LKey, s.Addr, uint64(s.Length))
}

// window returns the region of this side that has the key, if it gives the access
// within the domain.
func (c *context) window(key uint32, pd *pd, need verbs.Access) window {
	i := keyIndex(key)
	if i >= maxMR {
		return window{}
	}
	m := c.mrs[i].Load()
	if m == nil || m.key != key || m.pd != pd || m.access&need != need {
		return window{}
	}
	return window{key, m.addr, m.buf}
}

// memory returns the peer's memory [addr, addr+n) if the key gives the access
// within the domain.
func (r *remote) memory(known *lastRegion, key, pd uint32, addr, n uint64, need verbs.Access) []byte {
	w := r.window(known, key, pd, need)
	return w.at(key, addr, n)
}

// window returns the peer's region that has the key, if it gives the access within
// the domain. The entry is the peer's: every value is taken once, and what they say
// together is checked against the mapping.
func (r *remote) window(known *lastRegion, key, pd uint32, need verbs.Access) window {
	i := keyIndex(key)
	if i >= maxMR || key == 0 {
		return window{}
	}
	e := &r.dir.mrs[i]
	if atomic.LoadUint32(&e.key) != key {
		return window{}
	}
	start, length := atomic.LoadUint64(&e.addr), atomic.LoadUint64(&e.length)
	offset := atomic.LoadUint64(&e.offset)
	if atomic.LoadUint32(&e.pd) != pd || verbs.Access(atomic.LoadUint32(&e.access))&need != need {
		return window{}
	}
	b := known.of(r, atomic.LoadUint32(&e.region))
	if atomic.LoadUint32(&e.key) != key || offset > uint64(len(b)) || length > uint64(len(b))-offset {
		return window{}
	}
	return window{key, start, b[offset : offset+length]}
}

// window is a region as requests name it. The zero window shows nothing.
type window struct {
	key   uint32
	first uint64 // address of the first byte
	bytes []byte
}

// at returns the memory [addr, addr+n), or nil if the window does not show all of
// it under the key.
func (w *window) at(key uint32, addr, n uint64) []byte {
	off := addr - w.first // huge if addr is below
	if key != w.key || off > uint64(len(w.bytes)) || n > uint64(len(w.bytes))-off {
		return nil
	}
	return w.bytes[off : off+n]
}

// lastRegion remembers the region used last, so that the common case takes no lock.
type lastRegion struct {
	id    uint32
	bytes []byte
}

func (l *lastRegion) of(r *remote, id uint32) []byte {
	if l.bytes == nil || l.id != id {
		l.id, l.bytes = id, r.region(id)
	}
	return l.bytes
}

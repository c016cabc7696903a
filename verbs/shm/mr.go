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
	inode  uint64 // of the file
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
	var err error
	if m.inode, err = inodeOf(file.FD()); err == nil {
		err = c.enterMR(m, off)
	}
	if err != nil {
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
	e.access, e.pd, e.fd, e.inode = uint32(m.access), m.pd.id, uint32(m.file.FD()), m.inode
	e.addr, e.length, e.offset = m.addr, uint64(len(m.buf)), uint64(off)
	c.regions[m.inode]++
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
	if c.regions[m.inode]--; c.regions[m.inode] == 0 {
		delete(c.regions, m.inode)
		c.tellClosed(m.inode)
	}
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

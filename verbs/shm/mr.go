package shm

import (
	"errors"
	"sync/atomic"

	"github.com/ibperf/ibperf/internal/memfd"
	"github.com/ibperf/ibperf/verbs"
)

type pd struct {
	object
	id uint32
}

func (p *pd) Close() error {
	_, err := p.shut("dealloc_pd", "memory regions, windows or QPs of the domain are alive")
	return err
}

// region is what a key stands for, and does not change. Its owner uses this; peers use its
// entry in the directory.
type region struct {
	pd     *pd
	key    uint32
	access verbs.Access
	buf    []byte
	addr   uint64
	file   *memfd.File
	inode  uint64 // of the file
	off    uint64 // of buf within it

	windows int // that are bound to it; guarded by the lock of the regions' table

	mw     *mw     // the window that it is, or nil
	of     *region // what the window is bound to, or nil
	by     uint32  // type 2: the QP that bound it
	serial uint64  // of the bind
}

// mr is a memory region.
type mr struct{ *region }

const (
	remoteRights = verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic
	knownRights  = remoteRights | verbs.AccessLocalWrite | verbs.AccessOptional
	// All memory of the device is resident: ON_DEMAND asks for nothing more.
	regionFlags = knownRights | verbs.AccessMWBind | verbs.AccessZeroBased | verbs.AccessOnDemand
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
	m := &region{pd: p, access: access, buf: buf, addr: addr, file: file, off: uint64(off)}
	var err error
	if m.inode, err = inodeOf(file.FD()); err == nil {
		err = c.enter(verb, m)
	}
	if err != nil {
		file.Release()
		return nil, err
	}
	p.use(1)
	c.countRegions(m.inode, 1)
	return &mr{m}, nil
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

// enter gives the region a key, and if it has memory shows it to peers.
func (c *context) enter(verb string, m *region) error {
	if !c.mrs.enter(m, func(num uint32) {
		m.key = num%maxMR<<8 | num/maxMR
		if m.file != nil {
			c.show(m)
		}
	}) {
		return c.err(verb, enomem, "all regions and windows are in use")
	}
	return nil
}

// show makes the entry in the directory one of the region.
func (c *context) show(m *region) {
	e := &c.dir.mrs[keyIndex(m.key)]
	atomic.StoreUint32(&e.key, 0)
	atomic.StoreUint32(&e.access, uint32(m.access))
	atomic.StoreUint32(&e.pd, m.pd.id)
	atomic.StoreUint32(&e.fd, uint32(m.file.FD()))
	atomic.StoreUint64(&e.inode, m.inode)
	atomic.StoreUint64(&e.addr, m.addr)
	atomic.StoreUint64(&e.length, uint64(len(m.buf)))
	atomic.StoreUint64(&e.offset, m.off)
	atomic.StoreUint64(&e.serial, m.serial)
	atomic.StoreUint32(&e.by, m.by)
	atomic.StoreUint32(&e.key, m.key)
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

// Handle is the lkey.
func (m *mr) Handle() uint64 { return uint64(m.key) }

func (m *mr) Close() error { return m.end("dereg_mr") }

// Rereg makes a new region, with keys of its own, and then ends the one that was.
func (m *mr) Rereg(flags verbs.ReregFlags, to verbs.PD, buf []byte, access verbs.Access) error {
	old, in, iova := m.region, m.pd, &m.addr
	switch p, ok := to.(*pd); {
	case flags&^(verbs.ReregTranslation|verbs.ReregPD|verbs.ReregAccess) != 0 || flags&verbs.ReregAccess == 0 && access != 0:
		return old.pd.ctx.err("rereg_mr", einval, "an unknown flag, or access without REREG_MR_CHANGE_ACCESS")
	case old.pd.ctx.mrs.at(keyIndex(old.key)).Load() != old:
		return old.pd.ctx.err("rereg_mr", ebadf, closedText)
	case flags&verbs.ReregPD == 0:
	case !ok || p.ctx != old.pd.ctx:
		return old.pd.ctx.err("rereg_mr", einval, "the domain must be of the same context")
	default:
		in = p
	}
	if flags&verbs.ReregAccess == 0 {
		access = old.access
	}
	if flags&verbs.ReregTranslation == 0 {
		buf = old.buf
	} else {
		iova = nil
	}
	next, err := in.register("rereg_mr", buf, access, iova)
	if err != nil {
		return err
	}
	if err = old.end("rereg_mr"); err == nil {
		m.region = next.(*mr).region
		return nil
	}
	next.Close()
	if errors.Is(err, etimedout) {
		err = errors.Join(err, verbs.ErrMRUnusable)
	}
	return err
}

// end takes the key out of the tables and waits until no requester works with it.
func (m *region) end(verb string) error {
	c := m.pd.ctx
	if again, err := c.leave(verb, m); again || err != nil {
		return err
	}
	c.countRegions(m.inode, -1)
	err := c.awaitOut(verb, (*qp).turns)
	m.file.Release()
	m.pd.use(-1)
	return err
}

// leave takes the region out of the tables, and tells whether that had been done.
func (c *context) leave(verb string, m *region) (again bool, err error) {
	c.mrs.Lock()
	defer c.mrs.Unlock()
	at := c.mrs.at(keyIndex(m.key))
	switch {
	case m.windows > 0:
		return false, c.err(verb, ebusy, "a memory window is bound to the region")
	case at.Load() != m:
		return true, nil
	}
	atomic.StoreUint32(&c.dir.mrs[keyIndex(m.key)].key, 0)
	at.Store(nil)
	c.dir.change()
	return false, nil
}

// awaitOut returns when the requesters have been out.
func (c *context) awaitOut(verb string, of func(*qp, []turn) []turn) error {
	if err := await(c.turns(of)); err != nil {
		return c.err(verb, etimedout, err.Error()+": its process has stopped, and may store to the memory when it goes on; "+
			"end it before the memory is used again")
	}
	return nil
}

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
	object // of which windows are made; it ends, and they are bound, under the lock of the regions' table

	pd     *pd
	key    uint32
	access verbs.Access
	buf    []byte
	addr   uint64
	file   *memfd.File
	inode  uint64 // of the file
	off    uint64 // of buf within it

	mw     *mw    // the window that it is of, or nil
	by     uint32 // type 2: the QP that bound it
	serial uint64 // of the bind
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
	switch {
	case p.isClosed():
		return nil, c.err(verb, ebadf, closedText)
	case access&^regionFlags != 0:
		return nil, c.err(verb, einval, "access "+(access&^regionFlags).String()+" is not offered")
	case access&(verbs.AccessRemoteWrite|verbs.AccessRemoteAtomic) != 0 && access&verbs.AccessLocalWrite == 0:
		return nil, c.err(verb, einval, "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE")
	case len(buf) == 0:
		return nil, c.err(verb, einval, "length is 0")
	}
	file, off := memfd.Hold(buf)
	if file == nil {
		return nil, c.err(verb, efault, "the memory is not of a verbs.Buffer; only that can be shared with a peer process")
	}
	m := &region{object: c.newObject(&p.object), pd: p, access: access, buf: buf, file: file, off: uint64(off)}
	err := m.setAddr(verb, iova)
	if err == nil {
		m.inode, err = inodeOf(file.FD())
	}
	if err == nil {
		err = m.enter(verb)
	}
	if err != nil {
		file.Release()
		return nil, err
	}
	m.retain(1)
	c.countRegions(m.inode, 1)
	return &mr{m}, nil
}

const pageSize = 4096

// index is where the region stands in the tables. All keys of a window have the same.
func (m *region) index() uint32 { return keyIndex(m.key) }

// setAddr sets the address by which requests name the first byte.
func (m *region) setAddr(verb string, iova *uint64) error {
	va := m.file.Addr() + m.off
	switch {
	case m.access&verbs.AccessZeroBased != 0:
	case iova == nil:
		m.addr = va
	case (*iova^va)%pageSize != 0:
		return m.err(verb, einval, "iova must be as far into a page as the buffer is")
	case *iova+uint64(len(m.buf))-1 < *iova:
		return m.err(verb, einval, "iova and length wrap around")
	default:
		m.addr = *iova
	}
	return nil
}

// enter gives the region a key, and if it has memory shows it to peers.
func (m *region) enter(verb string) error {
	if !m.ctx.mrs.enter(m, func(num uint32) {
		m.key = num%maxMR<<8 | num/maxMR
		if m.file != nil {
			m.show()
		}
	}) {
		return m.err(verb, enomem, "all regions and windows are in use")
	}
	return nil
}

// show makes the entry in the directory one of the region.
func (m *region) show() {
	e := &m.ctx.dir.mrs[m.index()]
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
		return m.err("rereg_mr", einval, "an unknown flag, or access without REREG_MR_CHANGE_ACCESS")
	case m.closed.Load():
		return m.err("rereg_mr", ebadf, closedText)
	case flags&verbs.ReregPD == 0:
	case !ok || p.ctx != m.ctx:
		return m.err("rereg_mr", einval, "the domain must be of the same context")
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
	c := m.ctx
	c.mrs.Lock()
	again, err := m.shut(verb, "a memory window is bound to the region")
	if !again && err == nil {
		if m.mw != nil {
			m.mw.unbind()
		}
		c.replace(m.index(), nil)
	}
	c.mrs.Unlock()
	if again || err != nil {
		return err
	}
	if m.file != nil {
		c.countRegions(m.inode, -1)
		defer m.file.Release()
	}
	defer m.retain(-1)
	if err := await(c.turns((*qp).turns)); err != nil {
		return m.err(verb, etimedout, err.Error()+": its process has stopped, and may store to the memory when it goes on; "+
			"end it before the memory is used again")
	}
	return nil
}

// replace takes what peers see at a place out of the tables, under their lock. A window that is
// not bound can take the place.
func (c *context) replace(place uint32, by *region) {
	atomic.StoreUint32(&c.dir.mrs[place].key, 0)
	c.mrs.at(place).Store(by)
	c.dir.change()
}

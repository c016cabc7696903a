package shm

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/memfd"
)

type pd struct {
	object
	id uint32
}

func (p *pd) Close() error {
	_, err := p.markClosed("dealloc_pd", "MRs, MWs, SRQs or QPs of the PD exist")
	return err
}

// region is the immutable meaning of a key: a memory region or a bound window. The owner uses this
// structure; peers use its entry in the directory.
type region struct {
	object // windows use it; closed and bound under the lock of the regions' table

	pd     *pd
	key    uint32
	access verbs.Access
	buf    []byte
	addr   uint64
	file   *memfd.File
	inode  uint64 // of the file
	off    uint64 // offset of buf in the file

	released sync.Once // the region's hold of the file

	mw         *mw    // the window, or nil for a memory region
	boundBy    uint32 // window of type 2: the QP that bound it
	bindSerial uint64 // window of type 2: identifies the bind
}

// mr is a memory region.
type mr struct{ *region }

const (
	remoteAccessFlags = verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic
	qpAccessFlags     = remoteAccessFlags | verbs.AccessLocalWrite | verbs.AccessOptional
	// ON_DEMAND has no effect: all memory of the device is resident.
	mrAccessFlags = qpAccessFlags | verbs.AccessMWBind | verbs.AccessZeroBased | verbs.AccessOnDemand
)

func (p *pd) RegMR(buf []byte, access verbs.Access) (verbs.MR, error) {
	return p.register("reg_mr", buf, access, nil)
}

func (p *pd) RegMRIova(buf []byte, iova uint64, access verbs.Access) (verbs.MR, error) {
	return p.register("reg_mr_iova", buf, access, &iova)
}

// register creates a region. Work requests address it from iova on, or, if iova is nil, by the
// addresses at which it is mapped.
func (p *pd) register(verb string, buf []byte, access verbs.Access, iova *uint64) (verbs.MR, error) {
	c := p.ctx
	switch {
	case p.isClosed():
		return nil, c.err(verb, ebadf, closedText)
	case access&^mrAccessFlags != 0:
		return nil, c.err(verb, einval, "access "+(access&^mrAccessFlags).String()+" is not supported")
	case access&(verbs.AccessRemoteWrite|verbs.AccessRemoteAtomic) != 0 && access&verbs.AccessLocalWrite == 0:
		return nil, c.err(verb, einval, "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE")
	case len(buf) == 0:
		return nil, c.err(verb, einval, "length is 0")
	}
	file, off := memfd.Hold(buf)
	if file == nil {
		return nil, c.err(verb, efault, "the memory is not from a verbs.Buffer; only a Buffer can be shared with a peer process")
	}
	m := &region{object: c.newObject(&p.object), pd: p, access: access, buf: buf, file: file, off: uint64(off)}
	err := m.setAddr(verb, iova)
	if err == nil {
		m.inode, err = inodeOf(file.FD())
	}
	if err == nil {
		err = m.insert(verb)
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

// index returns the region's index in the tables. All keys of a window have the same index.
func (m *region) index() uint32 { return keyIndex(m.key) }

// setAddr sets the address of the first byte in work requests.
func (m *region) setAddr(verb string, iova *uint64) error {
	va := m.file.Addr() + m.off
	switch {
	case m.access&verbs.AccessZeroBased != 0:
	case iova == nil:
		m.addr = va
	case (*iova^va)%pageSize != 0:
		return m.err(verb, einval, "iova and the buffer must have the same offset within a page")
	case *iova+uint64(len(m.buf))-1 < *iova:
		return m.err(verb, einval, "iova and length wrap around")
	default:
		m.addr = *iova
	}
	return nil
}

// insert gives the region a key and, if it has memory, publishes it to peers.
func (m *region) insert(verb string) error {
	if !m.ctx.mrs.insert(m, func(num uint32) {
		m.key = num%maxMR<<8 | num/maxMR
		if m.file != nil {
			m.publish()
		}
	}) {
		return m.err(verb, enomem, "all regions and windows are in use")
	}
	return nil
}

// publish writes the region's entry in the directory.
func (m *region) publish() {
	e := &m.ctx.dir.mrs[m.index()]
	atomic.StoreUint32(&e.key, 0)
	atomic.StoreUint32(&e.access, uint32(m.access))
	atomic.StoreUint32(&e.pd, m.pd.id)
	atomic.StoreUint32(&e.fd, uint32(m.file.FD()))
	atomic.StoreUint64(&e.inode, m.inode)
	atomic.StoreUint64(&e.addr, m.addr)
	atomic.StoreUint64(&e.length, uint64(len(m.buf)))
	atomic.StoreUint64(&e.offset, m.off)
	atomic.StoreUint64(&e.bindSerial, m.bindSerial)
	atomic.StoreUint32(&e.boundBy, m.boundBy)
	atomic.StoreUint32(&e.key, m.key)
}

func (m *mr) Addr() uint64 { return m.addr }
func (m *mr) Len() int     { return len(m.buf) }
func (m *mr) LKey() uint32 { return m.key }

func (m *mr) RKey() uint32 {
	if m.access&remoteAccessFlags == 0 {
		return 0
	}
	return m.key
}

// Handle returns the lkey.
func (m *mr) Handle() uint64 { return uint64(m.key) }

func (m *mr) Close() error { return m.deregister("dereg_mr") }

// Rereg registers a new region with new keys, and then deregisters the old one.
func (m *mr) Rereg(flags verbs.ReregFlags, to verbs.PD, buf []byte, access verbs.Access) error {
	old, in, iova := m.region, m.pd, &m.addr
	switch p, ok := to.(*pd); {
	case flags&^(verbs.ReregTranslation|verbs.ReregPD|verbs.ReregAccess) != 0 || flags&verbs.ReregAccess == 0 && access != 0:
		return m.err("rereg_mr", einval, "an unknown flag, or access without REREG_MR_CHANGE_ACCESS")
	case m.closed.Load():
		return m.err("rereg_mr", ebadf, closedText)
	case flags&verbs.ReregPD == 0:
	case !ok || p.ctx != m.ctx:
		return m.err("rereg_mr", einval, "the PD must be of the same context")
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
	if err = old.deregister("rereg_mr"); err == nil {
		m.region = next.(*mr).region
		return nil
	}
	next.Close()
	if errors.Is(err, etimedout) {
		err = errors.Join(err, verbs.ErrMRUnusable)
	}
	return err
}

// deregister removes the key from the tables and waits until no requester uses it.
func (m *region) deregister(verb string) error {
	c := m.ctx
	c.mrs.Lock()
	wasClosed, err := m.markClosed(verb, "a memory window is bound to the region")
	if !wasClosed && err == nil {
		if m.mw != nil {
			m.mw.unbind()
		}
		c.replaceRegion(m.index(), nil)
	}
	c.mrs.Unlock()
	if wasClosed || err != nil {
		return err
	}
	if m.file != nil {
		c.countRegions(m.inode, -1)
		defer m.releaseMemory()
	}
	defer m.retain(-1)
	if err := awaitQuiescence(c.activeRequesters(m.appendUsers)); err != nil {
		return m.err(verb, etimedout, err.Error()+": its process has stopped, and may store to the memory when it goes on; "+
			"end it before the memory is used again")
	}
	return nil
}

// appendUsers appends the requesters of a QP and of its peer, if they are executing and may use the region's memory, or the memory
// that an unbound window had.
func (m *region) appendUsers(q *qp, list []activeRequester) []activeRequester {
	list = q.appendOwnRequester(list)
	if r := q.peerCtx.Load(); r != nil && (m.file == nil || r.mayMap(m.inode)) {
		list = q.appendPeerRequester(list)
	}
	return list
}

// releaseMemory lets go of the memory, once. A bound window has the memory of its region, and does not hold it.
func (m *region) releaseMemory() {
	if m.file != nil && m.mw == nil {
		m.released.Do(func() { m.file.Release() })
	}
}

// replaceRegion removes the slot's region from the tables, under their lock, and stores next, which
// is an unbound window or nil.
func (c *context) replaceRegion(i uint32, next *region) {
	atomic.StoreUint32(&c.dir.mrs[i].key, 0)
	c.mrs.slot(i).Store(next)
	c.dir.change()
}

package shm

import (
	"slices"
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// How windows are bound and taken back. The owner changes its table, as for a region. A peer
// cannot: the requester whose message makes a window invalid remembers that until the owner,
// who finds it in the record, has changed the table. Nobody else needs to know, since a window
// of type 2 works for this one requester.

// changeWindow carries out a BIND_MW or a LOCAL_INV. It is done when no requester is at work that
// may go by what was there before.
func (q *qp) changeWindow(wr *verbs.SendWR) (outcome, verbs.WCStatus) {
	if len(q.leaving) == 0 {
		switch {
		case wr.Opcode == verbs.OpLocalInv && !q.invalidate(wr.Invalidate()):
			return done, verbs.WCLocQPOpErr
		case wr.Opcode == verbs.OpBindMW && !q.bind(wr):
			return done, verbs.WCMWBindErr
		case wr.Opcode == verbs.OpBindMW:
			q.leaving = q.ctx.turns((*qp).peerTurn)
		default:
			q.leaving = q.peerTurn(nil)
		}
	}
	if !q.allOut() {
		return leaving, 0
	}
	return done, verbs.WCSuccess
}

// allOut tells whether the requesters have been out that the first request waits for.
func (q *qp) allOut() bool {
	q.leaving = slices.DeleteFunc(q.leaving, func(t turn) bool { return t.over() })
	return len(q.leaving) == 0
}

// bind binds a window as the request says, if region, range and rights allow it.
func (q *qp) bind(wr *verbs.SendWR) bool {
	place, key, of, addr, length, access := wr.BindMW()
	c := q.ctx
	c.mrs.Lock()
	defer c.mrs.Unlock()
	was := c.find(place)
	if was == nil || was.mw == nil || was.pd != q.pd || uint64(keyIndex(key)) != place {
		return false
	}
	w := was.mw
	single := w.typ == verbs.MWType2
	if single && (was != w.region || length == 0) {
		return false
	}
	if length == 0 {
		w.unbind()
		return true
	}
	m := c.find(uint64(keyIndex(uint32(of))))
	if m == nil || m.mw != nil || uint64(m.key) != of || !m.bindable(q.pd, addr, length, access) {
		return false
	}
	w.unbind()
	now := &region{
		object: c.newObject(&m.object), pd: q.pd, key: key, access: access, buf: m.buf[addr-m.addr:][:length], addr: addr,
		file: m.file, inode: m.inode, off: m.off + addr - m.addr, mw: w,
	}
	if now.access&verbs.AccessZeroBased != 0 {
		now.addr = 0
	}
	if single {
		now.by, now.serial = q.num, atomic.LoadUint64(&c.dir.changes) // unbind has counted one since the last bind
	}
	now.retain(1)
	c.mrs.at(w.index()).Store(now)
	now.show()
	return true
}

// find returns what is at a place of the table of regions.
func (c *context) find(place uint64) *region {
	if place >= maxMR {
		return nil
	}
	return c.mrs.at(uint32(place)).Load()
}

// bindable tells whether a window over the range may have the rights.
func (m *region) bindable(pd *pd, addr, length uint64, access verbs.Access) bool {
	off, size := addr-m.addr, uint64(len(m.buf)) // off is huge if addr is below
	return m.pd == pd && m.access&verbs.AccessMWBind != 0 && access&^(remoteRights|verbs.AccessZeroBased) == 0 &&
		(access&(verbs.AccessRemoteWrite|verbs.AccessRemoteAtomic) == 0 || m.access&verbs.AccessLocalWrite != 0) &&
		off <= size && length <= size-off
}

// unbind takes back what gives access through the window; under the lock.
func (w *mw) unbind() {
	if m := w.ctx.mrs.at(w.index()).Load(); m != w.region {
		m.retain(-1)
		w.ctx.replace(w.index(), w.region)
	}
}

// invalidate ends the bind of a window of type 2 that the QP has bound. It is false if the key
// is of no such window, as it may be if a peer names it.
func (q *qp) invalidate(key uint32) bool {
	c := q.ctx
	c.mrs.Lock()
	defer c.mrs.Unlock()
	m := c.find(uint64(keyIndex(key)))
	if m == nil || m.key != key || m.by != q.num {
		return false
	}
	m.mw.unbind()
	return true
}

// mayInvalidate tells whether the key is of a window that the peer's QP has bound. What is known of
// the peer's memory is forgotten, as it may be that window.
func (q *qp) mayInvalidate(p *peer, key uint32) bool {
	q.known.far = [farKinds]window{}
	i := keyIndex(key)
	e := &p.remote.dir.mrs[i%maxMR]
	return i < maxMR && key != 0 && atomic.LoadUint32(&e.key) == key && atomic.LoadUint32(&e.by) == p.num && p.through(e, i)
}

// invalidate remembers that the window is invalid.
func (p *peer) invalidate(key uint32) {
	if p.invalid == nil {
		p.invalid = map[uint32]uint64{}
	}
	i := keyIndex(key)
	p.invalid[i] = atomic.LoadUint64(&p.remote.dir.mrs[i].serial)
}

// through tells whether requests of this connection may use the region at place i: it is no
// window of another QP, and none that has been made invalid.
func (p *peer) through(e *mrEntry, i uint32) bool {
	by := atomic.LoadUint32(&e.by)
	return by == 0 || by == p.num && p.invalid[i] != atomic.LoadUint64(&e.serial)
}

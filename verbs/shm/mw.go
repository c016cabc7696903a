package shm

import (
	"slices"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// Memory windows. A window has a slot in the table of regions. A bound window is a region: a part
// of another region, for peers only.

type mw struct {
	*region // without memory; it has the slot while the window is not bound
	typ     verbs.MWType
	rkey    atomic.Uint32 // the current rkey of the owner
}

func (p *pd) AllocMW(t verbs.MWType) (verbs.MW, error) {
	c := p.ctx
	switch {
	case p.isClosed():
		return nil, c.err("alloc_mw", ebadf, closedText)
	case t != verbs.MWType1 && t != verbs.MWType2:
		return nil, c.err("alloc_mw", einval, "the type must be 1 or 2")
	}
	w := &mw{region: &region{object: c.newObject(&p.object), pd: p}, typ: t}
	w.mw = w
	if err := w.insert("alloc_mw"); err != nil {
		return nil, err
	}
	w.rkey.Store(w.key)
	w.retain(1)
	return w, nil
}

func (w *mw) RKey() uint32        { return w.rkey.Load() }
func (w *mw) SetRKey(rkey uint32) { w.rkey.Store(rkey) }
func (w *mw) Handle() uint64      { return uint64(w.index()) }
func (w *mw) Close() error        { return w.deregister("dealloc_mw") }

func (w *mw) Bind(to verbs.QP, bind *verbs.MWBind) error {
	c := w.ctx
	q, ok := to.(*qp)
	m, bindable := bind.Info.MR.(*mr)
	switch {
	case w.typ != verbs.MWType1 || !ok || q.ctx != c || !bindable:
		return c.err("bind_mw", einval, "needs a window of type 1, and a QP and a region of the same context")
	case m.pd != w.pd:
		return c.err("bind_mw", unix.EPERM, "the region belongs to another PD")
	}
	wr := verbs.SendWR{WRID: bind.WRID, Opcode: verbs.OpBindMW, SendFlags: bind.SendFlags}
	next := verbs.IncRKey(w.RKey())
	wr.SetBindMW(w, next, bind.Info)
	_, err := q.PostSend(&wr)
	if err == nil {
		w.SetRKey(next)
	}
	return err
}

// Binding and invalidating. The owner changes its table, as for a region. A peer cannot write that
// table. When a peer's SEND_WITH_INV invalidates a window, its requester remembers the window until
// the owner finds the invalidation in the record and changes the table. No other requester has to
// know, since a window of type 2 is valid for this one only.

// changeWindow executes a BIND_MW or a LOCAL_INV. The request completes when every requester that
// may have used the previous entry has left.
func (q *qp) changeWindow(wr *verbs.SendWR) (outcome, verbs.WCStatus) {
	if len(q.quiescing) == 0 {
		switch {
		case wr.Opcode == verbs.OpLocalInv && !q.invalidate(wr.Invalidate()):
			return done, verbs.WCLocQPOpErr
		case wr.Opcode == verbs.OpBindMW && !q.bind(wr):
			return done, verbs.WCMWBindErr
		case wr.Opcode == verbs.OpBindMW:
			q.quiescing = q.ctx.activeRequesters((*qp).appendPeerRequester)
		default:
			q.quiescing = q.appendPeerRequester(nil)
		}
	}
	if !q.quiesced() {
		return quiescing, 0
	}
	return done, verbs.WCSuccess
}

// quiesced reports whether the requesters that the first request waits for have left.
func (q *qp) quiesced() bool {
	q.quiescing = slices.DeleteFunc(q.quiescing, func(t activeRequester) bool { return t.hasLeft() })
	return len(q.quiescing) == 0
}

// bind binds a window as the request says, and reports whether region, range and rights allow that.
func (q *qp) bind(wr *verbs.SendWR) bool {
	index, key, mrKey, addr, length, access := wr.BindMW()
	c := q.ctx
	c.mrs.Lock()
	defer c.mrs.Unlock()
	current := c.regionAt(index)
	if current == nil || current.mw == nil || current.pd != q.pd || uint64(keyIndex(key)) != index {
		return false
	}
	w := current.mw
	type2 := w.typ == verbs.MWType2
	if type2 && (current != w.region || length == 0) {
		return false
	}
	if length == 0 {
		w.unbind()
		return true
	}
	m := c.regionAt(uint64(keyIndex(uint32(mrKey))))
	if m == nil || m.mw != nil || uint64(m.key) != mrKey || !m.bindable(q.pd, addr, length, access) {
		return false
	}
	w.unbind()
	bound := &region{
		object: c.newObject(&m.object), pd: q.pd, key: key, access: access, buf: m.buf[addr-m.addr:][:length], addr: addr,
		file: m.file, inode: m.inode, off: m.off + addr - m.addr, mw: w,
	}
	if bound.access&verbs.AccessZeroBased != 0 {
		bound.addr = 0
	}
	if type2 {
		bound.boundBy, bound.bindSerial = q.num, atomic.LoadUint64(&c.dir.changes) // unbind has counted a change since the last bind
	}
	bound.retain(1)
	c.mrs.slot(w.index()).Store(bound)
	bound.publish()
	return true
}

// regionAt returns the region in a slot of the table.
func (c *context) regionAt(index uint64) *region {
	if index >= maxMR {
		return nil
	}
	return c.mrs.slot(uint32(index)).Load()
}

// bindable reports whether a window over the range may have the rights.
func (m *region) bindable(pd *pd, addr, length uint64, access verbs.Access) bool {
	off, size := addr-m.addr, uint64(len(m.buf)) // off wraps to a huge value if addr is below
	return m.pd == pd && m.access&verbs.AccessMWBind != 0 && access&^(remoteAccessFlags|verbs.AccessZeroBased) == 0 &&
		(access&(verbs.AccessRemoteWrite|verbs.AccessRemoteAtomic) == 0 || m.access&verbs.AccessLocalWrite != 0) &&
		off <= size && length <= size-off
}

// unbind removes the bound region of the window. The caller holds the lock.
func (w *mw) unbind() {
	if m := w.ctx.mrs.slot(w.index()).Load(); m != w.region {
		m.retain(-1)
		w.ctx.replaceRegion(w.index(), w.region)
	}
}

// invalidate unbinds a window of type 2 that the QP has bound, and reports whether the key, which
// may be from a peer, belongs to such a window.
func (q *qp) invalidate(key uint32) bool {
	c := q.ctx
	c.mrs.Lock()
	defer c.mrs.Unlock()
	m := c.regionAt(uint64(keyIndex(key)))
	if m == nil || m.key != key || m.boundBy != q.num {
		return false
	}
	m.mw.unbind()
	return true
}

// mayInvalidate reports whether the key belongs to a window that the peer's QP has bound. It clears
// the cached remote regions, which may include the window.
func (q *qp) mayInvalidate(p *peerQP, key uint32) bool {
	q.cache.remote = [remoteKinds]cachedRegion{}
	i := keyIndex(key)
	e := &p.peerCtx.dir.mrs[i%maxMR]
	return i < maxMR && key != 0 && atomic.LoadUint32(&e.key) == key && atomic.LoadUint32(&e.boundBy) == p.num && p.mayUse(e, i)
}

// invalidate records that the window is invalid.
func (p *peerQP) invalidate(key uint32) {
	if p.invalidated == nil {
		p.invalidated = map[uint32]uint64{}
	}
	i := keyIndex(key)
	p.invalidated[i] = atomic.LoadUint64(&p.peerCtx.dir.mrs[i].bindSerial)
}

// mayUse reports whether requests of this connection may use the region with index i: it is neither
// a window of another QP nor an invalidated one.
func (p *peerQP) mayUse(e *mrEntry, i uint32) bool {
	by := atomic.LoadUint32(&e.boundBy)
	return by == 0 || by == p.num && p.invalidated[i] != atomic.LoadUint64(&e.bindSerial)
}

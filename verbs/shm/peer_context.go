package shm

import (
	"net"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs/shm/internal/lockorder"
)

// peerContext is a peer's context as this process sees it: the connection, the directory, and the
// mapped memory of regions that requests have named. QPs and address handles share it.
type peerContext struct {
	ctx  *context // this side's context
	id   uint64
	pid  int32
	conn *net.UnixConn
	gone atomic.Bool // the peer's context is closed or its process has ended

	mu        lockorder.Mutex[lockorder.Peer]
	dir       *directory                // nil after close
	mapped    map[uint64][]byte         // mapped memory by inode
	notifiers map[uint32]*notifier      // by number of the CQ
	awaited   map[uint32]awaitedRequest // by number of the QP
	refs      int                       // guarded by ctx.mu
}

// peerContextOf returns the peer context with the id, and connects to it if needed.
func (c *context) peerContextOf(id uint64) (*peerContext, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isClosed() {
		return nil, net.ErrClosed
	}
	r := c.peerContexts[id]
	if r == nil || r.gone.Load() {
		var err error
		if r, err = c.openPeerContext(id); err != nil {
			return nil, err
		}
		c.peerContexts[id] = r
	}
	r.refs++
	return r, nil
}

// release drops a reference, unless r is nil. The last one closes the connection.
func (c *context) release(r *peerContext) {
	if r == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.refs--; r.refs > 0 {
		return
	}
	if c.peerContexts[r.id] == r {
		delete(c.peerContexts, r.id)
	}
	r.close()
}

// openPeerContext connects to the context with the id and maps its directory. The peer's process
// takes no part in this.
func (c *context) openPeerContext(id uint64) (*peerContext, error) {
	conn, pid, err := dial(id)
	if err != nil {
		return nil, err
	}
	r := &peerContext{ctx: c, id: id, pid: pid, conn: conn, mapped: map[uint64][]byte{}, notifiers: map[uint32]*notifier{}, awaited: map[uint32]awaitedRequest{}}
	if err = r.mapDirectory(); err != nil {
		r.close()
		return nil, err
	}
	go r.readSocket()
	return r, nil
}

// readSocket receives the peer's unmap notices and detects its end.
func (r *peerContext) readSocket() {
	b := make([]byte, unmapNoticeSize)
	for {
		switch n, err := r.conn.Read(b); {
		case err != nil || n == 0:
			r.gone.Store(true)
			r.ctx.dir.change()
			r.ctx.endConnections(r)
			r.unmapRegion(0)
			return
		case n == unmapNoticeSize:
			r.unmapRegion(decodeUnmapNotice(b))
		}
	}
}

// endConnections takes back the receives of SRQs that a context which is gone has not used, and notifies CQs that have
// completions of QPs connected to it: its process may have been killed before it used a receive that it had claimed, or between
// a completion and the token.
func (c *context) endConnections(r *peerContext) {
	for _, q := range c.qps.all() {
		switch {
		case q.peerCtx.Load() != r:
		case !q.usesSRQ():
			q.recvCQ.listLost(r)
			q.recvCQ.renotify()
		default:
			q.reclaimFromLost(r)
			q.pool.mu.Lock()
			for _, s := range q.pool.srqs.all() {
				s.cqFor(q).renotify()
			}
			q.pool.mu.Unlock()
		}
	}
}

// mapRegion returns the peer's memory with the inode, which the peer's process holds as fd. Memory
// stays mapped from the first request that names it until its last region is closed.
func (r *peerContext) mapRegion(fd uint32, inode uint64) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b := r.mapped[inode]; b != nil || r.dir == nil {
		return b, nil
	}
	r.ctx.noteMapped(inode, 1)
	b, err := r.mapMemory(fd, inode, 0, unix.PROT_READ|unix.PROT_WRITE)
	if err != nil {
		r.ctx.noteMapped(inode, -1)
		return nil, err
	}
	r.mapped[inode] = b
	return b, nil
}

// unmapRegion unmaps memory, or with inode 0 all memory, when no requester of this side uses it any
// more. A later request maps it again.
func (r *peerContext) unmapRegion(inode uint64) {
	list := map[uint64][]byte{}
	r.mu.Lock()
	for i, b := range r.mapped {
		if i == inode || inode == 0 {
			list[i] = b
			delete(r.mapped, i)
		}
	}
	r.mu.Unlock()
	if len(list) == 0 {
		return
	}
	r.ctx.dir.change()
	awaitQuiescence(r.ctx.activeRequesters((*qp).appendOwnRequester))
	for i, b := range list {
		unix.Munmap(b)
		r.ctx.noteMapped(i, -1)
	}
}

// countRegions adds n to the number of regions of a memfd, and sends an unmap notice to all peers
// when it becomes 0. A peer that does not read the notice keeps the memory mapped until the
// connection ends.
func (c *context) countRegions(inode uint64, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.regionCounts[inode] += n; c.regionCounts[inode] > 0 {
		return
	}
	delete(c.regionCounts, inode)
	for _, s := range c.peerConns.all() {
		s.unmapNotice.send(s.UnixConn, encodeUnmapNotice(inode), encodeUnmapNotice(0))
	}
}

// notifier returns the notifier of the peer's CQ.
func (r *peerContext) notifier(cq uint32) (*notifier, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.notifiers[cq]
	if b != nil || r.dir == nil {
		return b, nil
	}
	e := &r.dir.cqs[cq%maxCQ]
	fd, err := r.open(atomic.LoadUint32(&e.fd), atomic.LoadUint64(&e.inode), unix.S_IFIFO, unix.O_WRONLY)
	if err != nil {
		return nil, err
	}
	b = &notifier{cq: cq, word: &e.armed, fd: fd}
	r.notifiers[cq] = b
	return b, nil
}

func (r *peerContext) close() {
	r.gone.Store(true)
	r.conn.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dir == nil {
		return
	}
	unix.Munmap(viewBytes(r.dir))
	for i, b := range r.mapped {
		unix.Munmap(b)
		r.ctx.noteMapped(i, -1)
	}
	for _, b := range r.notifiers {
		b.close()
		unix.Close(b.fd)
	}
	r.dir, r.notifiers, r.mapped = nil, nil, nil
}

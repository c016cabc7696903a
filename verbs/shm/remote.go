package shm

import (
	"net"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// remote is a peer's context as this process sees it: the connection, the directory, and
// the memory of regions that requests have named. QPs and address handles share it.
type remote struct {
	ctx  *context // of this side
	id   uint64
	pid  int32
	conn *net.UnixConn
	dead atomic.Bool // the peer's context is gone

	mu        sync.Mutex
	dir       *directory           // nil once it is unmapped
	regions   map[uint64][]byte    // by inode
	notifiers map[uint32]*notifier // by CQ
	refs      int                  // guarded by the context's lock
}

// remoteOf returns the peer context with the id, connecting to it if needed.
func (c *context) remoteOf(id uint64) (*remote, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isClosed() {
		return nil, net.ErrClosed
	}
	r := c.remotes[id]
	if r == nil || r.dead.Load() {
		var err error
		if r, err = c.openRemote(id); err != nil {
			return nil, err
		}
		c.remotes[id] = r
	}
	r.refs++
	return r, nil
}

// release gives a reference back, if there is one; the last one closes the connection.
func (c *context) release(r *remote) {
	if r == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.refs--; r.refs > 0 {
		return
	}
	if c.remotes[r.id] == r {
		delete(c.remotes, r.id)
	}
	r.close()
}

// openRemote connects to the context with the id and maps its directory. The peer's process
// has no part in it.
func (c *context) openRemote(id uint64) (*remote, error) {
	conn, pid, err := dial(id)
	if err != nil {
		return nil, err
	}
	r := &remote{ctx: c, id: id, pid: pid, conn: conn, regions: map[uint64][]byte{}, notifiers: map[uint32]*notifier{}}
	if err = r.mapDirectory(); err != nil {
		r.close()
		return nil, err
	}
	go r.read()
	return r, nil
}

// read keeps up with what the peer says: that memory has no region any more, and its end.
func (r *remote) read() {
	b := make([]byte, noteSize)
	for {
		switch n, err := r.conn.Read(b); {
		case err != nil || n == 0:
			r.dead.Store(true)
			r.ctx.dir.change()
			r.ctx.wakeBehind(r)
			r.forget(0)
			return
		case n == noteSize:
			r.forget(decodeNote(b))
		}
	}
}

// wakeBehind wakes those who wait for a CQ that has completions, if QPs on it are connected to a
// context that is gone: its process may have been killed between a completion and its token.
func (c *context) wakeBehind(r *remote) {
	for _, q := range c.qps.all() {
		switch {
		case q.remote.Load() != r:
		case !q.sharing():
			q.recvCQ.notifyAgain()
		default:
			q.pool.mu.Lock()
			for _, s := range q.pool.srqs.all() {
				s.cqFor(q).notifyAgain()
			}
			q.pool.mu.Unlock()
		}
	}
}

// region returns the peer's memory with the inode, which its process holds as fd. It is
// mapped when a request names it first, and until its last region is closed.
func (r *remote) region(fd uint32, inode uint64) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b := r.regions[inode]; b != nil || r.dir == nil {
		return b, nil
	}
	b, err := r.mapMemory(fd, inode, 0, unix.PROT_READ|unix.PROT_WRITE)
	if err == nil {
		r.regions[inode] = b
	}
	return b, err
}

// forget unmaps memory, all of it for inode 0, when no requester of this side works in it any
// more. What is named again is mapped again.
func (r *remote) forget(inode uint64) {
	var list [][]byte
	r.mu.Lock()
	for i, b := range r.regions {
		if i == inode || inode == 0 {
			list = append(list, b)
			delete(r.regions, i)
		}
	}
	r.mu.Unlock()
	if len(list) == 0 {
		return
	}
	r.ctx.dir.change()
	await(r.ctx.turns((*qp).ownTurn))
	for _, b := range list {
		unix.Munmap(b)
	}
}

// countRegions counts n more regions of a memfd, and tells all peers when there is none any more.
// One that does not read keeps it mapped as long as the connection.
func (c *context) countRegions(inode uint64, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.regions[inode] += n; c.regions[inode] > 0 {
		return
	}
	delete(c.regions, inode)
	for _, s := range c.conns.all() {
		s.note.send(s.UnixConn, encodeNote(inode), encodeNote(0))
	}
}

// notifier returns the peer's notifier of the CQ.
func (r *remote) notifier(cq uint32) (*notifier, error) {
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

func (r *remote) close() {
	r.dead.Store(true)
	r.conn.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dir == nil {
		return
	}
	unix.Munmap(viewBytes(r.dir))
	for _, b := range r.regions {
		unix.Munmap(b)
	}
	for _, b := range r.notifiers {
		b.end()
		unix.Close(b.fd)
	}
	r.dir, r.notifiers, r.regions = nil, nil, nil
}

package shm

import (
	"net"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/internal/memfd"
)

// A requester maps the memory of a peer's region when it is named first, and keeps it
// mapped for later. When the last region on that memory is closed, the owner tells those
// that asked for it, on the connection that they asked on:
//
//	requester                          owner of the region
//	askRegion       ---------------->  hands the memfd out
//	maps it
//	                <----------------  the last region on it is closed: noteClosed
//	unmaps it, when no requester
//	of the context is at work with it

// region counts the memory regions on one memfd; peers may ask for it while
// there is one.
type region struct {
	file   *memfd.File
	refs   int
	askers map[*net.UnixConn]struct{} // that it has been handed to
}

// noteClosed is a note for no QP: memory n has no region any more.
const noteClosed = 3

// keepRegion counts a region on the memfd; under the context's lock.
func (c *context) keepRegion(f *memfd.File) {
	r := c.regions[f.ID()]
	if r == nil {
		r = &region{file: f, askers: map[*net.UnixConn]struct{}{}}
		c.regions[f.ID()] = r
	}
	r.refs++
}

// dropRegion counts a region less. The last one is the end for the peers, too; one that
// does not read its notes keeps the memory as long as the connection. Under the context's lock.
func (c *context) dropRegion(f *memfd.File) {
	r := c.regions[f.ID()]
	if r.refs--; r.refs > 0 {
		return
	}
	delete(c.regions, f.ID())
	for conn := range r.askers {
		sendNow(conn, reply{note: noteClosed, n: f.ID()}.encode())
	}
}

// region returns the peer's memory with the id, asking for it the first time. A note that
// was on its way may be of earlier regions on the same memory, but not the second time.
func (r *remote) region(id uint32) []byte {
	r.mu.Lock()
	b := r.regions[id]
	r.mu.Unlock()
	if b != nil {
		return b
	}
	r.finding.Lock()
	defer r.finding.Unlock()
	for range 2 {
		if b, stands := r.find(id); stands {
			return b
		}
	}
	return nil
}

// find is region for one try. stands is false if a note came meanwhile that the memory has
// no region any more.
func (r *remote) find(id uint32) (b []byte, stands bool) {
	r.mu.Lock()
	b = r.regions[id]
	r.found = id
	r.mu.Unlock()
	if b != nil {
		return b, true
	}
	a, err := r.request(request{op: askRegion, arg: id})
	if err != nil {
		return nil, true
	}
	if b, err = r.mapFD(a.fds[0], 0, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return nil, true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.found != id || r.regions == nil {
		unix.Munmap(b)
		return nil, false
	}
	r.regions[id] = b
	return b, true
}

// closed forgets memory that has no region any more.
func (r *remote) closed(id uint32) {
	r.mu.Lock()
	b := r.regions[id]
	delete(r.regions, id)
	if r.found == id {
		r.found = 0
	}
	r.mu.Unlock()
	if b != nil {
		go r.ctx.unmap(b)
	}
}

// unmap unmaps memory of a peer that no lookup finds any more, when no requester of this
// side works with what it found before.
func (c *context) unmap(b []byte) {
	c.dir.change()
	await(c.turns((*qp).ownTurn))
	unix.Munmap(b)
}

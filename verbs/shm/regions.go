package shm

import (
	"errors"
	"net"
	"syscall"

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

// region returns the peer's memory with the id if it is here; see regionsHere.
func (r *remote) region(id uint32) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.regions[id]
}

// keepRegion maps memory that was asked for. Its error is EAGAIN if a note came meanwhile that
// the memory has no region any more: that may be of earlier regions on it, or of this one.
func (r *remote) keepRegion(in *inquiry, fd int) error {
	b, err := r.mapFD(fd, 0, unix.PROT_READ|unix.PROT_WRITE)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case in.stale:
		return errors.Join(unix.Munmap(b), syscall.EAGAIN)
	case r.regions == nil || r.regions[in.arg] != nil:
		return unix.Munmap(b)
	}
	r.regions[in.arg] = b
	return nil
}

// closed forgets memory that has no region any more.
func (r *remote) closed(id uint32) {
	r.mu.Lock()
	r.closures.Add(1)
	b := r.regions[id]
	delete(r.regions, id)
	for _, in := range r.inquiries {
		in.stale = in.stale || in.op == askRegion && in.arg == id
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

package shm

import (
	"fmt"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// domain is an XRC domain. Its QPs and SRQs belong to one context, since peers connect to contexts.
// All handles that open the same file in the context share the domain; other contexts and processes
// get another one.
type domain struct {
	file fileID // zero: a private domain
	fd   int    // keeps the file open, so that its inode is not reused
	refs int    // handles; guarded by the context's lock

	srqPool
}

type fileID struct{ dev, inode uint64 }

// xrcd is a handle of a domain.
type xrcd struct {
	*domain
	object // QPs and SRQs use it
}

func (c *context) OpenXRCD(fd, oflags int) (verbs.XRCD, error) {
	if oflags&^(syscall.O_CREAT|syscall.O_EXCL) != 0 {
		return nil, c.err("open_xrcd", einval, fmt.Sprintf("oflags %#x: only O_CREAT and O_EXCL are allowed", oflags))
	}
	var file unix.Stat_t
	if fd != -1 {
		if err := unix.Fstat(fd, &file); err != nil {
			return nil, c.err("open_xrcd", errnoOf(err), fmt.Sprintf("descriptor %d", fd))
		}
	}
	id := fileID{uint64(file.Dev), file.Ino}
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.domains[id]
	switch {
	case c.isClosed():
		return nil, c.err("open_xrcd", ebadf, closedText)
	case d == nil && fd != -1 && oflags&syscall.O_CREAT == 0:
		return nil, c.err("open_xrcd", syscall.EAGAIN, "no domain of the file is open in this context: O_CREAT creates one")
	case d != nil && oflags&syscall.O_EXCL != 0:
		return nil, c.err("open_xrcd", einval, "O_EXCL: a domain of the file is already open in this context")
	case d == nil:
		var err error
		if d, err = c.newDomain(fd, id); err != nil {
			return nil, err
		}
	}
	d.refs++
	return &xrcd{d, c.newObject()}, nil
}

// newDomain returns a new domain. The caller holds the context's lock.
func (c *context) newDomain(fd int, id fileID) (*domain, error) {
	d := &domain{file: id, srqPool: srqPool{id: c.newID()}}
	if fd == -1 {
		return d, nil
	}
	var err error
	if d.fd, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0); err != nil {
		return nil, c.err("open_xrcd", errnoOf(err), fmt.Sprintf("descriptor %d", fd))
	}
	c.domains[id] = d
	return d, nil
}

func (c *context) closeDomains() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.domains {
		unix.Close(d.fd)
	}
	clear(c.domains)
}

// Close closes the handle. The last handle closes the domain.
func (x *xrcd) Close() error {
	c := x.ctx
	c.mu.Lock()
	defer c.mu.Unlock()
	if wasClosed, err := x.markClosed("close_xrcd", "QPs or SRQs of the domain exist"); wasClosed || err != nil {
		return err
	}
	if x.refs--; x.refs > 0 || c.domains[x.file] != x.domain {
		return nil
	}
	delete(c.domains, x.file)
	return unix.Close(x.fd)
}

// joinXRCD makes the SRQ part of an XRC domain, before it has a number.
func (s *srq) joinXRCD(x verbs.XRCD, completions verbs.CQ) error {
	handle, ok1 := checkedObject[*xrcd](s.ctx, x)
	q, ok2 := checkedObject[*cq](s.ctx, completions)
	if !ok1 || !ok2 {
		return s.ctx.err("create_srq", einval, "an SRQ for XRC needs an XRC domain and a CQ, both of the same context, and open")
	}
	s.xrcd, s.cq, s.srqPool, s.parents = handle, q, &handle.srqPool, append(s.parents, &handle.object, &q.object)
	return nil
}

// xrcQP is a handle of an XRC_RECV QP. All handles operate on the same QP, and each receives its
// events.
type xrcQP struct {
	*qp
	xrcd *xrcd
	acks acks
}

func (h *xrcQP) asyncAcks() *acks { return &h.acks }

func (x *xrcd) CreateRecvQP() (verbs.QP, error) {
	if x.isClosed() {
		return nil, x.ctx.err("create_qp_ex", ebadf, closedText)
	}
	none := &cq{object: x.ctx.newObject()} // never used: the QP's receives belong to SRQs
	q := &qp{
		object: x.ctx.newObject(), pd: &pd{object: x.ctx.newObject()}, sendCQ: none, recvCQ: none,
		typ: verbs.QPTypeXRCRecv, initAttr: verbs.QPInitAttr{Type: verbs.QPTypeXRCRecv}, pool: &x.srqPool,
	}
	h := &xrcQP{qp: q, xrcd: x}
	q.handles = []verbs.QP{h}
	if err := x.ctx.addQP(q); err != nil {
		return nil, err
	}
	x.setQP(q, true)
	x.addUsers(1)
	return h, nil
}

func (x *xrcd) OpenQP(num uint32) (verbs.QP, error) {
	c := x.ctx
	if x.isClosed() {
		return nil, c.err("open_qp", ebadf, closedText)
	}
	if q := c.qpOf(num); q != nil && q.pool == &x.srqPool {
		q.handlesMu.Lock()
		defer q.handlesMu.Unlock()
		if len(q.handles) > 0 {
			h := &xrcQP{qp: q, xrcd: x}
			q.handles = append(q.handles, h)
			x.addUsers(1)
			return h, nil
		}
	}
	return nil, c.err("open_qp", einval, fmt.Sprintf("the domain has no XRC_RECV QP %#x", num))
}

// Close closes the handle, and destroys the QP with its last handle.
func (h *xrcQP) Close() error {
	q := h.qp
	q.handlesMu.Lock()
	before := len(q.handles)
	q.handles = slices.DeleteFunc(q.handles, func(x verbs.QP) bool { return x == h })
	left := len(q.handles)
	q.handlesMu.Unlock()
	if left == before {
		return nil
	}
	q.ctx.async.forget(&h.acks)
	q.ctx.async.awaitAcks(&h.acks)
	var err error
	if left == 0 {
		err = q.Close()
	}
	h.xrcd.addUsers(-1)
	return err
}

package shm

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// domain is an XRC domain. Its QPs and shared receive queues are of one context,
// since that is what peers connect to: who opens the same file in the context gets
// the same domain, who opens it in another one or in another process does not.
type domain struct {
	file fileID // zero of a private one
	fd   int    // keeps the file, so that its inode stays its own
	refs int    // handles, guarded by the context's lock

	pool
}

type fileID struct{ dev, inode uint64 }

// xrcd is a handle of a domain.
type xrcd struct {
	*domain
	object // of which QPs and SRQs are made
}

func (c *context) OpenXRCD(fd, oflags int) (verbs.XRCD, error) {
	if oflags&^(syscall.O_CREAT|syscall.O_EXCL) != 0 {
		return nil, c.err("open_xrcd", einval, fmt.Sprintf("oflags %#x: O_CREAT and O_EXCL", oflags))
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
		return nil, c.err("open_xrcd", syscall.EAGAIN, "no domain of the file is open in this context: O_CREAT makes one")
	case d != nil && oflags&syscall.O_EXCL != 0:
		return nil, c.err("open_xrcd", einval, "a domain of the file is open in this context")
	case d == nil:
		var err error
		if d, err = c.newDomain(fd, id); err != nil {
			return nil, err
		}
	}
	d.refs++
	return &xrcd{d, c.newObject()}, nil
}

// newDomain makes a domain; under the context's lock.
func (c *context) newDomain(fd int, id fileID) (*domain, error) {
	d := &domain{file: id, pool: pool{id: c.newID()}}
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

// Close closes the handle. The domain goes with its last one.
func (x *xrcd) Close() error {
	c := x.ctx
	c.mu.Lock()
	defer c.mu.Unlock()
	if again, err := x.shut("close_xrcd", "QPs or SRQs of the domain are alive"); again || err != nil {
		return err
	}
	if x.refs--; x.refs > 0 || c.domains[x.file] != x.domain {
		return nil
	}
	delete(c.domains, x.file)
	return unix.Close(x.fd)
}

// join makes the queue one of an XRC domain, before it has a number.
func (s *srq) join(x verbs.XRCD, completions verbs.CQ) error {
	handle, ok1 := own[*xrcd](s.ctx, x)
	q, ok2 := own[*cq](s.ctx, completions)
	if !ok1 || !ok2 {
		return s.ctx.err("create_srq", einval, "an SRQ for XRC needs an XRC domain and a CQ, both of the same context, and open")
	}
	s.xrcd, s.cq, s.pool, s.of = handle, q, &handle.pool, append(s.of, &handle.object, &q.object)
	return nil
}

package shm

import (
	"maps"
	"net"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// serve answers peers until the context is closed.
func (c *context) serve() {
	for {
		conn, err := c.sock.AcceptUnix()
		if err != nil { // closed, or short of descriptors; who connected waits in the socket's queue
			select {
			case <-c.ended:
				return
			case <-time.After(answerLook):
			}
			continue
		}
		if sameUser(conn) != nil {
			conn.Close()
			continue
		}
		if !c.keepConn(conn) {
			conn.Close()
			return
		}
		go c.serveConn(conn)
	}
}

// keepConn notes the connection, so that Close can end it.
func (c *context) keepConn(conn *net.UnixConn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.conns[conn] = struct{}{}
	}
	return !c.closed
}

func (c *context) dropConn(conn *net.UnixConn) {
	c.mu.Lock()
	delete(c.conns, conn)
	channels := slices.Collect(maps.Keys(c.channels))
	for _, r := range c.regions {
		delete(r.askers, conn)
	}
	c.mu.Unlock()
	for _, ch := range channels {
		ch.leave(conn)
	}
	conn.Close()
}

// serveConn answers one peer. The connection is also how the peer learns that
// this process is gone, so it stays open as long as the peer wants.
func (c *context) serveConn(conn *net.UnixConn) {
	defer c.dropConn(conn)
	looks := make(chan uint32, maxLooks)
	defer close(looks)
	go c.lookAt(looks)
	b := make([]byte, datagramMax+1)
	for {
		n, fds, err := receive(conn, b)
		closeAll(fds)
		if err != nil || n == 0 {
			return
		}
		if d, ok := decodeDatagram(b[:n]); ok {
			c.deliver(&d)
			continue
		}
		req, ok := decodeRequest(b[:n])
		if !ok {
			return
		}
		switch req.op {
		case askLook:
			select {
			case looks <- req.arg:
			default: // more than an honest peer asks for
			}
		case askReceive, askCollect, askReturn:
			err = c.note(conn, req)
		default:
			err = c.answer(conn, req)
		}
		if err != nil {
			return
		}
	}
}

// note does what is asked for a QP and sends the note, if there is something to say.
func (c *context) note(conn *net.UnixConn, req request) error {
	rep, ok := c.attend(req)
	if !ok {
		return nil
	}
	_, err := conn.Write(rep.encode())
	return err
}

// answer sends what was asked for. It sends duplicates of the descriptors, so that a peer
// that does not read its answers holds up this connection alone. Where descriptors are
// short it says so, and the peer asks again.
func (c *context) answer(conn *net.UnixConn, req request) error {
	c.mu.Lock()
	rep, own, err := c.lookup(conn, req)
	var fds []int
	if err == nil {
		fds, err = duplicate(own)
	}
	c.mu.Unlock()
	defer closeAll(fds)
	rep.serial = req.serial
	if err == nil {
		var oob []byte
		if len(fds) > 0 {
			oob = unix.UnixRights(fds...)
		}
		_, _, err = conn.WriteMsgUnix(rep.encode(), oob, nil)
	}
	if errno := errnoOf(err); err != nil && short(errno) {
		_, err = conn.Write(reply{errno: uint32(errno), serial: req.serial}.encode())
	}
	return err
}

func duplicate(fds []int) ([]int, error) {
	var out []int
	for _, fd := range fds {
		d, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			closeAll(out)
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// lookup finds what is asked for on the connection, and the descriptors that go with the
// reply; under the context's lock.
func (c *context) lookup(conn *net.UnixConn, req request) (rep reply, fds []int, err error) {
	missing := reply{errno: uint32(syscall.ENOENT)}
	if c.closed {
		return missing, nil, nil
	}
	switch req.op {
	case askDirectory:
		return reply{}, []int{c.dirFile.FD()}, nil
	case askQP:
		q := c.qps[numIndex(req.arg)]
		if q == nil || q.num != req.arg || q.typ == verbs.QPTypeUD {
			return missing, nil, nil
		}
		rep = reply{n: q.recv.layout.n, sge: q.recv.layout.maxSGE}
		q.handed = true
		along := c.comingAlong(q)
		rep.ahead = uint32(len(along))
		fds = append([]int{q.recv.file.FD()}, along...)
		if b := q.recvCQ.bell; b != nil && !q.sharing() {
			var fd int
			fd, err = q.recvCQ.ch.doorFor(conn)
			rep.bell, fds = b.cq, append(fds, fd)
		}
		return rep, fds, err
	case askRegion:
		r, ok := c.regions[req.arg]
		if !ok {
			return missing, nil, nil
		}
		r.askers[conn] = struct{}{}
		return reply{}, []int{r.file.FD()}, nil
	}
	return reply{errno: uint32(einval)}, nil, nil
}

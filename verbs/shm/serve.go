package shm

import (
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// serve answers peers until the socket is closed.
func (c *context) serve() {
	for {
		conn, err := c.sock.AcceptUnix()
		if err != nil {
			return
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
	for _, r := range c.regions {
		delete(r.askers, conn)
	}
	c.mu.Unlock()
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
	conn.SetWriteDeadline(time.Now().Add(askTimeout))
	_, err := conn.Write(rep.encode())
	return err
}

// answer sends what was asked for. It sends duplicates of the descriptors, so
// that a peer that does not read its answers holds up nobody else.
func (c *context) answer(conn *net.UnixConn, req request) error {
	c.mu.Lock()
	rep, own := c.lookup(conn, req)
	fds, err := duplicate(own)
	c.mu.Unlock()
	if err != nil {
		return err
	}
	defer closeAll(fds)
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	conn.SetWriteDeadline(time.Now().Add(askTimeout))
	_, _, err = conn.WriteMsgUnix(rep.encode(), oob, nil)
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

// lookup finds what is asked for on the connection; under the context's lock.
func (c *context) lookup(conn *net.UnixConn, req request) (reply, []int) {
	missing := reply{errno: uint32(syscall.ENOENT)}
	if c.closed {
		return missing, nil
	}
	switch req.op {
	case askDirectory:
		return reply{}, []int{c.dirFile.FD()}
	case askQP:
		q := c.qps[numIndex(req.arg)]
		if q == nil || q.num != req.arg || q.typ == verbs.QPTypeUD {
			return missing, nil
		}
		rep := reply{n: q.recv.layout.n, sge: q.recv.layout.maxSGE}
		q.handed = true
		along := c.comingAlong(q)
		rep.ahead = uint32(len(along))
		fds := append([]int{q.recv.file.FD()}, along...)
		if b := q.recvCQ.bell; b != nil && !q.sharing() {
			rep.bell = b.file.ID()
			fds = append(fds, b.file.FD(), b.eventFD)
		}
		return rep, fds
	case askRegion:
		r, ok := c.regions[req.arg]
		if !ok {
			return missing, nil
		}
		r.askers[conn] = struct{}{}
		return reply{}, []int{r.file.FD()}
	}
	return reply{errno: uint32(einval)}, nil
}

package shm

import (
	"net"
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// What a context does for its peers: it takes their messages of UD, and looks at QPs where
// they ask for it, so that events come by themselves though nobody polls.

// acceptAgain is how long a context waits that has no descriptor for another peer.
const acceptAgain = 10 * time.Millisecond

// serve serves peers until the context is closed.
func (c *context) serve() {
	for {
		conn, err := c.sock.AcceptUnix()
		if err == nil {
			go c.serveConn(conn)
			continue
		}
		select { // closed, or short of descriptors; who connected waits in the socket's queue
		case <-c.ended:
			return
		case <-time.After(acceptAgain):
		}
	}
}

// served is a connection from a peer.
type served struct {
	*net.UnixConn
	note late // that memory has no region any more
}

// serveConn serves one peer. The connection is also how the peer learns that this process is
// gone, so it stays open as long as the peer wants.
func (c *context) serveConn(conn *net.UnixConn) {
	defer conn.Close()
	if _, err := processOf(conn); err != nil {
		return
	}
	s := &served{UnixConn: conn}
	c.conns.set(s, true)
	defer c.conns.set(s, false)
	if c.isClosed() {
		return // Close may have seen the list before
	}
	trySend(conn, encodeNote(0)) // of what was closed before it is not known whether the peer has it
	b := make([]byte, datagramMax+1)
	for {
		n, err := conn.Read(b)
		if err != nil || n == 0 {
			return
		}
		if n != lookSize {
			if d := decodeDatagram(b[:n]); d != nil {
				c.deliver(d, b[datagramHeader:n])
			}
		} else if q := c.qpOf(decodeLook(b)); q != nil {
			q.lookSoon()
		}
	}
}

// lookSoon looks at the QP for a peer that asks for it, in a goroutine of its own, as a look may
// wait for a requester of the peer's.
func (q *qp) lookSoon() {
	if q.asked.Add(1) > 1 {
		return // who looks now does it again
	}
	go func() {
		for {
			n := q.asked.Load()
			q.look()
			q.established()
			if q.asked.CompareAndSwap(n, 0) {
				return
			}
		}
	}()
}

// qpOf returns the QP of the number, or nil.
func (c *context) qpOf(num uint32) *qp {
	if q := c.qps.at(num).Load(); q != nil && q.num == num {
		return q
	}
	return nil
}

// requestLook asks the peer's device to look at its QP.
func (p *peer) requestLook() {
	b := encodeLook(p.num)
	p.look.send(p.remote.conn, b, b)
}

// look moves the QP to ERR if its peer has ended the connection, and does what its peer wants
// of shared receives.
func (q *qp) look() {
	if q.sharing() {
		q.lend(nil, nil)
		return
	}
	life := q.life.Load()
	q.recvCQ.mu.Lock()
	_, ended := q.recv.ended()
	q.recvCQ.mu.Unlock()
	if ended {
		q.fail(life)
	}
}

// established raises COMM_EST, once, if a peer has begun to send to a QP in RTR.
func (q *qp) established() {
	q.modify.Lock()
	defer q.modify.Unlock()
	begun := atomic.LoadUint64(&q.recv.header.session) != 0
	if q.closed.Load() || q.reached || !begun || verbs.QPState(q.state.Load()) != verbs.QPRTR {
		return
	}
	q.reached = true
	q.raise(verbs.EventCommEst)
}

package shm

import (
	"maps"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

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
		if err != nil { // closed, or short of descriptors; who connected waits in the socket's queue
			select {
			case <-c.ended:
				return
			case <-time.After(acceptAgain):
			}
			continue
		}
		if _, err := processOf(conn); err != nil || !c.keepConn(conn) {
			conn.Close()
			continue
		}
		go c.serveConn(conn)
	}
}

// keepConn notes the connection, so that Close can end it.
func (c *context) keepConn(conn *net.UnixConn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isClosed() {
		c.conns[conn] = struct{}{}
		trySend(conn, encodeNote(0)) // of what was closed before it is not known whether the peer has it
	}
	return !c.isClosed()
}

// dropConn ends the connection of a context that is lost. Its process may have been killed between
// a completion and its token: who waits for a CQ that has completions of its is woken.
func (c *context) dropConn(conn *net.UnixConn, id uint64) {
	c.mu.Lock()
	delete(c.conns, conn)
	channels := slices.Collect(maps.Keys(c.channels))
	c.mu.Unlock()
	for _, ch := range channels {
		ch.notifyLost(id)
	}
	conn.Close()
}

// maxLooks is how many QPs one peer can have waiting to be looked at.
const maxLooks = 1024

// serveConn serves one peer. The connection is also how the peer learns that this process is
// gone, so it stays open as long as the peer wants.
func (c *context) serveConn(conn *net.UnixConn) {
	id := uint64(0)
	defer func() { c.dropConn(conn, id) }()
	looks := make(chan uint32, maxLooks)
	defer close(looks)
	go c.lookAt(looks)
	b := make([]byte, datagramMax+1)
	for {
		n, err := conn.Read(b)
		switch {
		case err != nil || n == 0:
			return
		case n == noteSize:
			id = decodeNote(b)
		case n == lookSize:
			select {
			case looks <- decodeLook(b):
			default: // more than an honest peer asks for
			}
		default:
			if d, ok := decodeDatagram(b[:n]); ok {
				c.deliver(&d)
			}
		}
	}
}

// lookAt looks at the QPs that a peer names. It is not done where datagrams are taken: a
// look may wait for a requester of the peer's.
func (c *context) lookAt(nums <-chan uint32) {
	for num := range nums {
		if q := c.qpOf(num); q != nil {
			q.look()
			q.established()
		}
	}
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
	if p.looking.Swap(true) {
		return // is being done
	}
	b := encodeLook(p.num)
	if trySend(p.remote.conn, b) != unix.EAGAIN {
		p.looking.Store(false)
		return
	}
	go func() { // the socket is full of messages: as soon as there is room
		p.remote.conn.Write(b)
		p.looking.Store(false)
	}()
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

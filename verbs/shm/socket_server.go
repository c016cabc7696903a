package shm

import (
	"net"
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// The context as its peers' device: it receives their UD messages and handles their doorbells, so
// that a QP's failure and events do not depend on polling.

// acceptRetryInterval is the interval at which a context without free descriptors tries to accept a
// peer.
const acceptRetryInterval = 10 * time.Millisecond

// serve serves peers until the context is closed.
func (c *context) serve() {
	for {
		conn, err := c.sock.AcceptUnix()
		if err == nil {
			go c.serveConn(conn)
			continue
		}
		select { // closed, or out of descriptors; the peer waits in the socket's backlog
		case <-c.closing:
			return
		case <-time.After(acceptRetryInterval):
		}
	}
}

// peerConn is a connection from a peer.
type peerConn struct {
	*net.UnixConn
	unmapNotice coalescedPacket // to the peer
}

// serveConn serves one peer. The peer also uses the connection to detect the end of this process,
// so it stays open until the peer closes it.
func (c *context) serveConn(conn *net.UnixConn) {
	defer conn.Close()
	if _, err := processOf(conn); err != nil {
		return
	}
	s := &peerConn{UnixConn: conn}
	c.peerConns.set(s, true)
	defer c.peerConns.set(s, false)
	if c.isClosed() {
		return // Close may have read the list before
	}
	trySend(conn, encodeUnmapNotice(0)) // memory may have lost its regions before this connection
	b := make([]byte, datagramMax+1)
	for {
		n, err := conn.Read(b)
		if err != nil || n == 0 {
			return
		}
		if n != doorbellSize {
			if d := decodeDatagram(b[:n]); d != nil {
				c.deliver(d, b[datagramHeader:n])
			}
		} else if q := c.qpOf(decodeDoorbell(b)); q != nil {
			q.handleDoorbell()
		}
	}
}

// handleDoorbell processes a doorbell for the QP in a goroutine, since that may wait for a
// requester of the peer.
func (q *qp) handleDoorbell() {
	if q.doorbells.Add(1) > 1 {
		return // the running goroutine repeats it
	}
	go func() {
		for {
			n := q.doorbells.Load()
			q.servicePeer()
			q.raiseCommEst()
			if q.doorbells.CompareAndSwap(n, 0) {
				return
			}
		}
	}()
}

// qpOf returns the QP with the number, or nil.
func (c *context) qpOf(num uint32) *qp {
	if q := c.qps.slot(num).Load(); q != nil && q.num == num {
		return q
	}
	return nil
}

// ringDoorbell asks the peer's device to process its QP.
func (p *peerQP) ringDoorbell() {
	b := encodeDoorbell(p.num)
	p.doorbell.send(p.peerCtx.conn, b, b)
}

// servicePeer moves the QP to ERR if its peer has ended the connection, or services its SRQ
// requests.
func (q *qp) servicePeer() {
	if q.usesSRQ() {
		q.serviceSRQ(nil, nil)
		return
	}
	generation := q.generation.Load()
	q.recvCQ.mu.Lock()
	_, ended := q.recv.connectionEnded()
	q.recvCQ.mu.Unlock()
	if ended {
		q.fail(generation)
	}
}

// raiseCommEst raises COMM_EST, once, if a peer has begun to send to a QP in RTR.
func (q *qp) raiseCommEst() {
	q.modify.Lock()
	defer q.modify.Unlock()
	begun := atomic.LoadUint64(&q.recv.header.requester) != 0
	if q.closed.Load() || q.commEstRaised || !begun || verbs.QPState(q.state.Load()) != verbs.QPRTR {
		return
	}
	q.commEstRaised = true
	q.raise(verbs.EventCommEst)
}

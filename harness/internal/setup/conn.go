package setup

import (
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
)

// Conn is a connection: a QP with its receive queue, and the keys and addresses of both sides.
type Conn struct {
	Resources *Resources
	Queues    *Queues
	Index     int // among the QPs of its mode
	QP        verbs.QP
	Counter   verbs.CompCounter // of the peer's WRITEs, in mode counter; else nil
	recvQP    verbs.QP          // of XRC, which receives by a QP of its own; else nil
	group     *verbs.GID        // multicast group; nil: none
	cm        verbs.CMConn      // nil without rdma_cm
	Local     oob.Endpoint
	Peer      oob.Endpoint
}

// SetDestination sets the destination of a request, if the QP's connection does not define it: the
// peer's QP over UD and SRD, its shared receive queue over XRC.
func (c *Conn) SetDestination(wr *verbs.SendWR) {
	switch r := c.Resources; {
	case r.Set.Plan.Multicast:
		wr.SetUD(r.ah, verbs.McastQPN, r.qkey)
	case r.Set.Unordered():
		addr, rkey := wr.RDMA()
		wr.SetSRD(r.ah, c.Peer.QPNum, r.qkey, addr, rkey)
	case r.ah != nil:
		wr.SetUD(r.ah, c.Peer.QPNum, r.qkey)
	case c.recvQP != nil:
		wr.SetXRC(c.Peer.SRQ)
	}
}

// createRecvQP creates the receiving QP of an XRC connection.
func (c *Conn) createRecvQP() (err error) {
	if x := c.Resources.xrcd; x != nil {
		c.recvQP, err = x.CreateRecvQP()
	}
	return err
}

// RecvQPNum returns the number of the QP in completions of receives.
func (c *Conn) RecvQPNum() uint32 {
	if c.recvQP != nil {
		return c.recvQP.QPNum()
	}
	return c.QP.QPNum()
}

// xrcNumbers returns the numbers that the peer needs for XRC: of the receiving QP and of the SRQ.
func (c *Conn) xrcNumbers() (recvQP, srq uint32, err error) {
	if c.recvQP == nil {
		return 0, 0, nil
	}
	srq, err = c.Queues.SRQ.Num()
	return c.recvQP.QPNum(), srq, err
}

// orderedQP returns the QP that receives the data of an operation. Over XRC the data of READs
// arrives on one QP, and the peer's messages on the other.
func (c *Conn) orderedQP(op verbs.Opcode) verbs.QP {
	if c.recvQP != nil && op != verbs.OpRDMARead {
		return c.recvQP
	}
	return c.QP
}

// RecvQueue returns the queue that receives are posted to: the QP's, or the shared one.
func (c *Conn) RecvQueue() RecvQueue {
	if c.Queues.SRQ != nil {
		return c.Queues.SRQ
	}
	return c.QP
}

// OutOfOrder reports whether the QP has out-of-order placement.
func (c *Conn) OutOfOrder() bool { return c.Resources.OutOfOrder(c.Queues.mode) }

// Region returns the region that the messages of the connection are in.
func (c *Conn) Region() Region { return c.Resources.regionFor(c.Index) }

func (c *Conn) close() {
	c.leaveGroup()
	c.QP.Close()
	if c.Counter != nil {
		c.Counter.Close()
	}
	if c.recvQP != nil {
		c.recvQP.Close()
	}
	if c.cm != nil {
		c.cm.Close()
	}
}

// RecvQueue is a QP or a shared receive queue.
type RecvQueue interface {
	PostRecv(wr *verbs.RecvWR) (bad *verbs.RecvWR, err error)
}

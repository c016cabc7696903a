package shm

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// What a requester does to a peer's QP besides completing receives, the owner
// notices when it polls or queries; and the requester asks it over the socket to
// look, so that events come by themselves.

// notify asks the peer to look at its QP.
func (p *peer) notify() { p.remote.send(request{op: askLook, arg: p.num}) }

// maxLooks is how many QPs one peer can have waiting to be looked at.
const maxLooks = 1024

// lookAt looks at the QPs that a peer names. It is not done where the peer's
// requests are answered: a look may wait for a requester that waits for an answer.
func (c *context) lookAt(nums <-chan uint32) {
	for num := range nums {
		c.mu.Lock()
		q := c.qps[numIndex(num)]
		c.mu.Unlock()
		if q != nil && q.num == num {
			q.look()
			q.established()
		}
	}
}

// look moves the QP to ERR if its peer has ended the connection.
func (q *qp) look() {
	q.recvCQ.mu.Lock()
	failed, life := q.recv.failed(), q.life.Load()
	q.recvCQ.mu.Unlock()
	if failed {
		q.fail(life)
	}
}

// established raises COMM_EST, once, if a peer has begun to send to a QP in RTR.
func (q *qp) established() {
	q.modify.Lock()
	defer q.modify.Unlock()
	begun := atomic.LoadUint64(&view[recvHeader](q.recv.file.Bytes(), 0).session) != 0
	if q.closed.Load() || q.reached || !begun || verbs.QPState(q.state.Load()) != verbs.QPRTR {
		return
	}
	q.reached = true
	q.raise(verbs.EventCommEst)
}

func (q *qp) raise(event verbs.EventType) {
	if q.typ == verbs.QPTypeXRCRecv {
		q.raiseToAll(event)
		return
	}
	q.ctx.raise(verbs.AsyncEvent{Type: event, QP: q})
}

// tellWhy raises an event if the peer ended the connection and no completion tells why.
func (q *qp) tellWhy() {
	q.recvCQ.mu.Lock()
	event, ok := q.recv.blame()
	q.recvCQ.mu.Unlock()
	if ok {
		q.raise(event)
	}
}

// blame returns the event that a fault of the peer's is, if there is one.
func (r *recvQueue) blame() (verbs.EventType, bool) {
	if r.closed.Load() {
		return 0, false
	}
	for i := r.next.Load(); ; i++ {
		w := atomic.LoadUint64(&r.records[i&(r.layout.n-1)][1])
		switch {
		case uint32(w>>recSeqAt) != i+1:
			return 0, false
		case w&recFault != 0 && verbs.WCStatus(w&0xff) == verbs.WCRemAccessErr:
			return verbs.EventQPAccessErr, true
		case w&recFault != 0:
			return verbs.EventQPReqErr, true
		case i == r.posted.Load():
			return verbs.EventQPFatal, true // a record that no receive was posted for
		}
	}
}

package shm

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// UC: a request is done when it is on its way. What the peer does not take is
// lost, and neither side learns of it.

// unacknowledged carries out a request of n bytes at a peer that may be absent.
func (q *qp) unacknowledged(p *peer, w *work, n uint64) verbs.WCStatus {
	var status verbs.WCStatus
	switch {
	case p == nil:
	case w.op == verbs.OpRDMAWrite:
		_, status = q.write(p, w, n)
	case w.op == verbs.OpRDMAWriteWithImm:
		if !p.fits(0) {
			break
		}
		var out outcome
		if out, status = q.write(p, w, n); out == done && status == verbs.WCSuccess {
			p.publish(w, n, verbs.WCSuccess)
		}
	case p.fits(n):
		_, status = q.send(p, w, n)
	}
	if status == verbs.WCLocProtErr { // the memory of this side was deregistered meanwhile
		return status
	}
	return verbs.WCSuccess
}

// fits tells whether the peer has posted a receive, and it holds n bytes.
func (p *peer) fits(n uint64) bool {
	var buf [maxSGE]verbs.SGE
	sges, ok := p.receive(&buf)
	return ok && total(sges) >= n
}

// resume starts to use a connection of the peer, or goes on with one that this QP
// has used before its last RESET: the packet numbers of UC only tell where
// messages begin.
func (q *qp) resume(p *peer, epoch uint32) bool {
	session := &view[recvHeader](p.mem, 0).session
	if atomic.CompareAndSwapUint64(session, 0, uint64(q.num)) {
		p.next = 0
	} else if atomic.LoadUint64(session) != uint64(q.num) {
		return false
	} else {
		p.next = p.published()
	}
	p.epoch = epoch
	return true
}

// published counts the records that the connection has seen.
func (p *peer) published() (n uint32) {
	for i := range p.records {
		if seq := uint32(atomic.LoadUint64(&p.records[i][1]) >> recSeqAt); int32(seq-n) > 0 {
			n = seq
		}
	}
	return n
}

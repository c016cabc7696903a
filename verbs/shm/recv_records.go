package shm

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// ready reports whether the next record is published. It does not touch the records if no receive
// is posted, so that idle QPs cause no page faults.
func (r *recvQueue) ready() bool {
	i := r.next.Load()
	if i == r.posted.Load() {
		return false
	}
	_, published := r.record(i)
	return published && !r.closed.Load()
}

// hasWork reports whether the queue has a record, or its peer asks for a receive of an SRQ.
func (r *recvQueue) hasWork() bool {
	return r.ready() || r.qp.usesSRQ() && !r.closed.Load() && atomic.LoadUint64(&r.header.srqRequest) != r.servedRequest.Load()
}

// record returns the second word of record i, and whether the peer has published the record.
func (r *recvQueue) record(i uint32) (w1 uint64, published bool) {
	return r.records[i&(r.layout.n-1)].Published(i)
}

// newRecords walks the records that the peer has published and no poll has converted, in order.
type newRecords struct {
	r  *recvQueue
	i  uint32 // the receive of the current record
	w1 uint64 // second word of the record
}

func (r *recvQueue) newRecords() newRecords { return newRecords{r: r, i: r.next.Load() - 1} }

// next advances to the next record and reports whether there is one.
func (at *newRecords) next() (published bool) {
	at.i++
	at.w1, published = at.r.record(at.i)
	return published
}

// ends reports whether the record ends the connection: it is a fault record, or has no posted receive.
func (at *newRecords) ends() bool { return at.w1&recFault != 0 || at.i == at.r.posted.Load() }

// poll converts records into completions, under the CQ's lock. ok is false when a record shows that
// the connection has failed.
func (r *recvQueue) poll(wc []verbs.WC, times []uint64) (n int, ok bool) {
	if r.closed.Load() {
		return 0, true
	}
	ok = true
	for at := r.newRecords(); ok && at.next(); n++ {
		if ok = !at.ends(); !ok || n == len(wc) {
			break
		}
		ok = r.complete(at.i, at.w1, r.slot(at.i), &wc[n])
		if times != nil {
			times[n] = r.time(at.i)
		}
	}
	if n > 0 {
		r.next.Store(r.next.Load() + uint32(n))
		r.freed.Store(r.freed.Load() + uint32(n))
	}
	return n, ok
}

// connectionEnded reports whether the peer has ended the connection, in the next record or in a
// later unpolled one. why is the event to raise, or noEvent if a completion shows the reason.
func (r *recvQueue) connectionEnded() (why verbs.EventType, ended bool) {
	if r.closed.Load() {
		return noEvent, false
	}
	for at := r.newRecords(); at.next(); {
		status := verbs.WCStatus(at.w1 & 0xff)
		switch {
		case at.w1&recFault != 0 && status == verbs.WCRemAccessErr:
			return verbs.EventQPAccessErr, true
		case at.w1&recFault != 0:
			return verbs.EventQPReqErr, true
		case at.ends():
			return verbs.EventQPFatal, true // a record without a posted receive
		case status != verbs.WCSuccess:
			why, ended = noEvent, true
		}
	}
	return why, ended
}

const noEvent = ^verbs.EventType(0)

// complete writes the completion of receive i from its record, whose second word is w1, and reports
// whether it succeeded. Applications rely on byte_len, so a byte_len beyond the receive is an
// error.
func (r *recvQueue) complete(i uint32, w1 uint64, at *recvSlot, wc *verbs.WC) bool {
	w0 := r.records[i&(r.layout.n-1)].First()
	*wc = verbs.WC{} // assigned member by member: a composite literal is copied in larger pieces than it is built in
	wc.WRID, wc.QPNum, wc.ByteLen = at.wrid, r.qp.num, uint32(w0)
	wc.Status, wc.Opcode = verbs.WCStatus(w1&0xff), verbs.WCOpcode(w1>>recOpShift&0xff)
	legal := wc.Opcode == verbs.WCRecvRDMAWithImm || wc.Opcode == verbs.WCRecv && uint64(wc.ByteLen) <= at.length
	if wc.Status == verbs.WCSuccess && !legal {
		wc.Status = verbs.WCBadRespErr
		return false
	}
	binary.LittleEndian.PutUint32(wc.Imm[:], uint32(w0>>32))
	if w1&recWithImm != 0 {
		wc.Flags = verbs.WCWithImm
	} else if w1&recWithInv != 0 {
		wc.Flags = verbs.WCWithInv
		r.qp.invalidate(wc.InvalidatedRKey())
	}
	return wc.Status == verbs.WCSuccess
}

func immWord(b [4]byte) uint32 { return binary.LittleEndian.Uint32(b[:]) }

// flush closes the queue: receives that the peer completed stay, in order, and all others complete
// with WR_FLUSH_ERR. The caller holds mu, and the peer must have left.
func (r *recvQueue) flush() {
	cq := r.qp.recvCQ
	cq.mu.Lock()
	e := ringWC{counter: &r.freed}
	if !r.closed.Load() {
		for at := r.newRecords(); at.next() && !at.ends(); {
			r.complete(at.i, at.w1, r.slot(at.i), &e.wc)
			cq.pushLocked(&e, r.time(at.i))
			r.next.Store(at.i + 1)
		}
	}
	flushed := r.closed.Swap(true) || r.next.Load() != r.posted.Load()
	for i := r.next.Load(); i != r.posted.Load(); i++ {
		e.wc = verbs.WC{WRID: r.slot(i).wrid, QPNum: r.qp.num, Status: verbs.WCWRFlushErr}
		cq.pushLocked(&e, r.time(i))
		r.next.Store(i + 1)
	}
	cq.mu.Unlock()
	if flushed {
		cq.notify(true)
	}
}

// raiseFailureEvent raises an event if the peer ended the connection and no completion shows the
// reason.
func (q *qp) raiseFailureEvent() {
	q.recvCQ.mu.Lock()
	why, ended := q.recv.connectionEnded()
	q.recvCQ.mu.Unlock()
	if ended && why != noEvent {
		q.raise(why)
	}
}

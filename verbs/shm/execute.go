package shm

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/internal/place"
	"github.com/ibperf/ibperf/verbs"
)

// outcome tells how far a request came.
type outcome int

const (
	done       outcome = iota // finished, with a status
	notReady                  // the peer has posted no receive
	asked                     // the peer was asked for a receive
	silent                    // the peer does not answer
	unanswered                // the peer's process has not answered a question yet
)

// execute carries a request out as a device would: keys, bounds and access of
// both sides are checked before a byte moves, and again when something changes
// meanwhile, the data is placed, and then the peer's completion is published.
func (q *qp) execute(w *work) (outcome, verbs.WCStatus) {
	q.renew()
	n, status := q.gather(w)
	if status != verbs.WCSuccess {
		return done, status
	}
	if q.typ == verbs.QPTypeUD {
		return done, q.datagram(w, n)
	}
	if q.peer == nil && !q.introduced() {
		return unanswered, 0
	}
	p := q.reach()
	if p != nil && n > 0 {
		q.closures = p.remote.closures.Load()
		if !q.regionsHere(p, w, n) {
			return unanswered, 0
		}
	}
	if q.inquiry != nil {
		q.inquiry = nil // what is lost is asked for again
	}
	if q.typ == verbs.QPTypeUC {
		return done, q.unacknowledged(p, w, n)
	}
	if p == nil {
		return silent, 0
	}
	if p.xrcd != 0 && !p.aim(w.srq) {
		return p.answer(done, verbs.WCRemInvReqErr)
	}
	switch w.op {
	case verbs.OpRDMAWrite:
		return p.answer(q.write(p, w, n))
	case verbs.OpRDMARead:
		return p.answer(q.read(p, w, n))
	case verbs.OpAtomicCmpAndSwp, verbs.OpAtomicFetchAndAdd:
		return p.answer(q.here(p, w, n, q.atomic(p, w)))
	case verbs.OpRDMAWriteWithImm:
		var sges [maxSGE]verbs.SGE
		if _, ok := p.receive(&sges); !ok {
			return q.noReceive(p), 0
		}
		if out, status := p.answer(q.write(p, w, n)); out != done || status != verbs.WCSuccess {
			return out, status
		}
		p.publish(w, n, verbs.WCSuccess)
		return done, verbs.WCSuccess
	}
	return q.send(p, w, n)
}

// answer passes on the status of an RDMA request. One that the peer refuses ends
// its side of the connection too.
func (p *peer) answer(out outcome, status verbs.WCStatus) (outcome, verbs.WCStatus) {
	if out == done && (status == verbs.WCRemAccessErr || status == verbs.WCRemInvReqErr) {
		p.fault(status)
	}
	return out, status
}

// gather finds the local memory of the request: q.pieces holds it in order.
func (q *qp) gather(w *work) (n uint64, status verbs.WCStatus) {
	need := verbs.Access(0)
	if opsFetch>>w.op&1 != 0 {
		need = verbs.AccessLocalWrite
	}
	for i := range w.sges {
		s := w.sges[i]
		var b []byte
		switch {
		case w.data != nil:
			b = w.data[n : n+uint64(s.Length)]
		case w.inline:
			b = memoryAt(s.Addr, s.Length)
		case s.Length > 0:
			if b = q.ctx.local(s, q.pd, need); b == nil {
				return 0, verbs.WCLocProtErr
			}
		}
		q.pieces[i] = b
		n += uint64(s.Length)
	}
	if n > maxMsgSize {
		return 0, verbs.WCLocLenErr
	}
	return n, verbs.WCSuccess
}

// target checks an RDMA request against the peer's QP and memory and returns
// that memory.
func (q *qp) target(p *peer, w *work, n uint64, right verbs.Access) ([]byte, verbs.WCStatus) {
	if verbs.Access(atomic.LoadUint32(&p.entry.access))&right == 0 {
		return nil, verbs.WCRemInvReqErr
	}
	if n == 0 {
		return nil, verbs.WCSuccess
	}
	b := p.remote.memory(&p.target, w.rkey, p.pd, w.raddr, n, right)
	if b == nil {
		return nil, verbs.WCRemAccessErr
	}
	return b, verbs.WCSuccess
}

func (q *qp) write(p *peer, w *work, n uint64) (outcome, verbs.WCStatus) {
	return q.transfer(&transfer{p: p, w: w, n: n, right: verbs.AccessRemoteWrite})
}

func (q *qp) read(p *peer, w *work, n uint64) (outcome, verbs.WCStatus) {
	if atomic.LoadUint32(&p.entry.destRdAtom) == 0 {
		return done, verbs.WCRemInvReqErr
	}
	return q.transfer(&transfer{p: p, w: w, n: n, right: verbs.AccessRemoteRead})
}

// scatter stores what an atomic operation found in the local memory of the request.
func (q *qp) scatter(w *work, src []byte) {
	for i, dst := range q.pieces[:len(w.sges)] {
		q.add(dst, src[:len(dst)], w.sges[i].Addr)
		src = src[len(dst):]
	}
	q.place(uint64(w.place))
}

// send scatters the message into the peer's next receive.
func (q *qp) send(p *peer, w *work, n uint64) (outcome, verbs.WCStatus) {
	var buf [maxSGE]verbs.SGE
	sges, ok := p.receive(&buf)
	if !ok {
		return q.noReceive(p), 0
	}
	if total(sges) < n {
		p.publish(w, n, verbs.WCLocLenErr)
		return done, verbs.WCRemInvReqErr
	}
	out, status := done, verbs.WCSuccess
	if n > 0 {
		out, status = q.transfer(&transfer{p: p, w: w, n: n, sges: sges})
	}
	switch {
	case out != done:
		return out, 0
	case status == verbs.WCRemOpErr:
		p.publish(w, n, verbs.WCLocProtErr)
	case status == verbs.WCSuccess:
		p.publish(w, n, verbs.WCSuccess)
	}
	return done, status
}

// add adds a piece to the message that is placed next: src goes to the front of dst,
// whose address a reader knows as base.
func (q *qp) add(dst, src []byte, base uint64) {
	q.message = append(q.message, place.Piece{Dst: dst, Src: src, Base: base})
}

// place stores the pieces that were added, in the order of the device. Where it shuffles
// the order follows from the number of the message.
func (q *qp) place(number uint64) {
	switch q.ctx.dev.place {
	case ascending:
		for i := range q.message {
			place.Ordered(q.message[i].Dst, q.message[i].Src)
		}
	case blocks:
		s := q.shuffler.Of(number)
		s.Blocks(q.message)
	default:
		s := q.shuffler.Of(number)
		s.Bytes(q.message)
	}
	q.message = q.message[:0]
}

// publish completes the receive that the message took.
func (p *peer) publish(w *work, n uint64, status verbs.WCStatus) {
	w0, w1 := recordOf(w.op, w.imm, n)
	p.store(w0, w1|uint64(status), w.flags&verbs.SendSolicited != 0 || status != verbs.WCSuccess)
	p.next++
	if status != verbs.WCSuccess {
		p.notify()
	}
}

// recordOf returns the record of a message of n bytes that arrived well, but for
// its number.
func recordOf(op verbs.Opcode, imm [4]byte, n uint64) (w0, w1 uint64) {
	w0, w1 = n&(1<<32-1), uint64(recvOpcodes[op])<<recOpShift
	if opsImm>>op&1 != 0 {
		w0 |= uint64(immWord(imm)) << 32
		w1 |= recWithImm
	}
	return w0, w1
}

// fault tells the peer that its side of the connection has failed, and why.
func (p *peer) fault(status verbs.WCStatus) {
	p.store(0, recFault|uint64(status), true)
	p.notify()
}

// store writes the record at p.next. With a bell it ends in a full fence, so
// that the look at the arm comes after the record is visible; see bell.ring.
func (p *peer) store(w0, w1 uint64, solicited bool) {
	rec := &p.records[p.next&(p.layout.n-1)]
	w1 |= uint64(p.next+1) << recSeqAt
	if p.sharing {
		p.storeShared(rec, w0, w1, solicited)
		return
	}
	if p.bell == nil {
		place.Publish((*[2]uint64)(rec[:]), w0, w1)
		return
	}
	atomic.StoreUint64(&rec[0], w0)
	atomic.StoreUint64(&rec[1], w1)
	p.bell.ring(solicited)
}

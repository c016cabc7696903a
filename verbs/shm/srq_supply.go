package shm

import (
	"slices"
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/lockorder"
)

// A QP on an SRQ also has a receive queue, which its peer's requester uses like any other. The
// owner supplies it with receives of the SRQ:
//
//	requester                                owner of the SRQ
//	finds no receive
//	header.srqRequest = number, SRQ  ----->  the next poll of the CQ supplies some,
//	                                 <-----  or sets header.srqEmpty = srqRequest
//	claims them, publishes records   ----->  the next poll of the CQ completes them
//
// If the owner does not poll, the requester rings the doorbell of the owner's device: at once if
// the CQ is armed, else after srqRetryInterval, since the doorbell takes CPU time from pollers.
// Receives are supplied in the order of the SRQ, to whichever QP has a message. While a single QP
// asks, it gets larger batches, up to maxSupplied, and then new ones without asking. When another
// QP asks, the owner reclaims unclaimed receives. header.supplied counts the receives that the
// owner has supplied and those that the requester has claimed; each side changes its half by a
// compare-and-swap of both.

const (
	maxSupplied  = 128 // unused receives that a QP has at most
	srqRecvSlots = 512 // slots of a receive queue on an SRQ; a slot mostly gets the SGEs that it had before, see write
)

// srqPool is the source of a QP's receives: one SRQ, or all SRQs of an XRC domain.
type srqPool struct {
	id   uint32                          // of the XRC domain; 0 for an SRQ
	mu   lockorder.Mutex[lockorder.Pool] // guards all its SRQs
	srqs cowList[srq]
	qps  cowList[qp] // QPs that are supplied from it
}

// setQP adds the QP to the pool, or removes it. Pollers of its receives' CQs service it.
func (p *srqPool) setQP(q *qp, in bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.qps.set(q, in)
	for _, s := range p.srqs.all() {
		s.cqFor(q).srqReceivers.polled.set(q, in)
	}
}

// setSRQ adds the SRQ to the pool, or removes it. The caller holds the lock. If the pool has QPs,
// the SRQ is one for XRC.
func (p *srqPool) setSRQ(s *srq, in bool) {
	p.srqs.set(s, in)
	serves := slices.ContainsFunc(p.srqs.all(), func(x *srq) bool { return x.cq == s.cq })
	for _, q := range p.qps.all() {
		s.cq.srqReceivers.polled.set(q, serves)
	}
}

// usesSRQ reports whether the QP's receives come from SRQs.
func (q *qp) usesSRQ() bool { return q.pool != nil }

// maxCASTries limits the attempts to change header.supplied against a peer that keeps changing it.
const maxCASTries = 100

// serviceSRQIfNeeded calls serviceSRQ if the peer has published records or asked for a receive. It
// returns the number of completions in wc.
func (q *qp) serviceSRQIfNeeded(polled *cq, wc []verbs.WC) int {
	if !q.recv.hasWork() {
		return 0
	}
	return q.serviceSRQ(polled, wc)
}

// serviceSRQ completes the receives that the peer has used, see completeReceives, and supplies the
// receives that it asks for.
func (q *qp) serviceSRQ(polled *cq, wc []verbs.WC) (n int) {
	generation, ok := q.generation.Load(), true
	q.pool.mu.Lock()
	if !q.recv.closed.Load() {
		if n, ok = q.completeReceives(polled, wc); ok {
			q.supplyRequested()
		}
	}
	q.pool.mu.Unlock()
	if !ok {
		q.fail(generation)
	}
	return n
}

// supplyRequested supplies receives to a QP whose peer asks for one.
func (q *qp) supplyRequested() {
	r := &q.recv
	request := atomic.LoadUint64(&r.header.srqRequest)
	i := uint32(request>>32) - 1
	if request == 0 || i-r.next.Load() > r.posted.Load()-r.next.Load() || !receives(verbs.QPState(q.state.Load())) {
		return
	}
	q.stopWaiting()
	s := q.requestedSRQ(uint32(request) &^ srqRequestBit)
	if i != r.posted.Load() {
		if s == r.supplied[i&(r.layout.n-1)].srq {
			r.servedRequest.Store(request)
			return // already supplied
		}
		q.reclaimFrom(i)
	}
	switch {
	case s != nil && s.supplyBatch(q):
	case s != nil && s.batchQP != q:
		return // another QP's peer has claimed receives and may release them: try again later
	default:
		if s != nil {
			s.waitingQPs = append(s.waitingQPs, q)
		}
		atomic.StoreUint64(&r.header.srqEmpty, request)
	}
	r.servedRequest.Store(request)
}

// stopWaiting removes the QP from the SRQs' lists of waiting QPs.
func (q *qp) stopWaiting() {
	for _, s := range q.pool.srqs.all() {
		s.waitingQPs = slices.DeleteFunc(s.waitingQPs, func(x *qp) bool { return x == q })
	}
}

// requestedSRQ returns the SRQ that a request of the peer names, or nil.
func (q *qp) requestedSRQ(num uint32) *srq {
	if q.srq != nil {
		return q.srq
	}
	if s := q.ctx.srqs.slot(num).Load(); s != nil && s.num == num && s.srqPool == q.pool && !s.closed.Load() {
		return s
	}
	return nil
}

// supplyBatch reports whether the SRQ has receives, and supplies the QP with as many as it may
// have: more than one only while no other QP has unrequested ones.
func (s *srq) supplyBatch(q *qp) bool {
	if s.batchQP != q && (s.batchQP == nil || s.batchQP.reclaimUnrequested()) {
		s.batchQP, s.batch = q, 0
	}
	if s.head == nil {
		return false
	}
	batch := 1
	if s.batchQP == q {
		s.batch = min(max(2*s.batch, 1), maxSupplied)
		batch = s.batch
	}
	s.moveReceives(q, batch)
	return true
}

// moveReceives moves receives of the SRQ to the QP's receive queue until it has batch unused ones.
func (s *srq) moveReceives(q *qp, batch int) {
	r := &q.recv
	if r.supplied == nil { // allocated on first use, since many QPs may never receive
		r.supplied = make([]*srqWR, r.layout.n)
	}
	first := r.posted.Load()
	i := first
	for ; int(i-r.next.Load()) < batch && s.head != nil; i++ {
		w := s.popFirst()
		r.supplied[i&(r.layout.n-1)] = w
		r.write(i, w.sges)
		if at := r.wqe(i); at.srq != s.num {
			at.srq = s.num
		}
	}
	if i != first {
		r.posted.Store(i)
		atomic.AddUint64(&r.header.supplied, uint64(i-first)<<32)
	}
}

// reclaimUnrequested reclaims the receives after the one that the peer asked for, and reports
// whether it got all of them.
func (q *qp) reclaimUnrequested() bool {
	from := q.recv.next.Load()
	if asked := uint32(q.recv.servedRequest.Load() >> 32); asked-from <= q.recv.posted.Load()-from {
		from = asked
	}
	return q.reclaimFrom(from)
}

// reclaimFrom reclaims the receives from number i on that the peer has not claimed, and reports
// whether it has claimed none of them.
func (q *qp) reclaimFrom(i uint32) bool {
	r := &q.recv
	next, last := r.next.Load(), r.posted.Load()
	for range maxCASTries {
		w := atomic.LoadUint64(&r.header.supplied)
		from := next + max(i-next, uint32(w)-next)
		if last-next < from-next {
			return true // the peer claims to have claimed more receives than were supplied: nothing is reclaimed
		}
		if atomic.CompareAndSwapUint64(&r.header.supplied, w, uint64(from)<<32|uint64(uint32(w))) {
			r.returnFrom(from)
			return from == i
		}
	}
	return false
}

// returnFrom returns the receives from number i on to their SRQs.
func (r *recvQueue) returnFrom(i uint32) {
	for last := r.posted.Load(); last != i; last-- {
		w := r.supplied[(last-1)&(r.layout.n-1)]
		w.srq.pushFirst(w)
	}
	r.posted.Store(i)
}

// reclaimFromLost ends supplying the QP if it is still connected to the context, which is gone.
func (q *qp) reclaimFromLost(r *peerContext) {
	q.modify.Lock()
	defer q.modify.Unlock()
	if q.peerCtx.Load() == r {
		q.reclaimAll()
	}
}

// reclaimAll ends supplying the QP: receives that the peer completed stay, and all others go back
// to their SRQs. The peer's requester must have left the queue.
func (q *qp) reclaimAll() {
	p, r := q.pool, &q.recv
	p.mu.Lock()
	defer p.mu.Unlock()
	if !r.closed.Load() {
		q.completeReceives(nil, nil)
	}
	r.closed.Store(true)
	r.returnFrom(r.next.Load())
	q.stopWaiting()
	for _, s := range p.srqs.all() {
		if s.batchQP == q {
			s.batchQP = nil
		}
		s.supplyWaiting()
	}
}

// supplyWaiting supplies QPs whose peers wait, and the one QP that is supplied in batches once it
// has used half of maxSupplied.
func (s *srq) supplyWaiting() {
	for len(s.waitingQPs) > 0 && s.head != nil {
		q := s.waitingQPs[0]
		s.waitingQPs = s.waitingQPs[1:]
		s.supplyBatch(q)
	}
	if q := s.batchQP; q != nil && s.batch == maxSupplied && q.recv.posted.Load()-q.recv.next.Load() <= maxSupplied/2 {
		s.moveReceives(q, maxSupplied)
	}
}

package shm

import (
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/store"
)

// The fast path. Requests of the same kind as earlier ones, between the same regions, need only the
// checks against the region cache.

// postFast executes the WRITEs and READs, or the SENDs, with a single SGE at the head of a list,
// and returns the rest of the list. It leaves any other request to execute, without side effects.
func (q *qp) postFast(wr *verbs.SendWR) (rest *verbs.SendWR) {
	if wr.Opcode == verbs.OpSend && q.pendHead == q.pendTail {
		rest, n := q.postFastSends(wr, q.posted, q.sendRoom())
		q.posted += n
		return rest
	}
	return q.postFastRDMA(wr)
}

// postFastRDMA is postFast for WRITEs and READs.
func (q *qp) postFastRDMA(wr *verbs.SendWR) (rest *verbs.SendWR) {
	k := &q.cache
	if !k.fastPath || q.pendHead != q.pendTail {
		return wr
	}
	q.flushHeldRecords()
	number, limit := q.posted, q.sendDone.Load()+uint32(q.cap.MaxSendWR)
	xrc := k.peer.xrcd != 0
	for wr != nil && number != limit && wr.NumSGE == 1 && wr.SGList != nil {
		if !k.valid() {
			break
		}
		if xrc && !q.sameSRQ(wr) {
			break
		}
		s := wr.SGList
		addr, key := wr.RDMA()
		length := uint64(s.Length)
		var dst, src *byte
		switch {
		case wr.Opcode == verbs.OpRDMAWrite:
			dst, src = k.remote[remoteDest].pointer(key, addr, length), q.sourcePointer(wr, s)
		case wr.Opcode == verbs.OpRDMARead && wr.SendFlags&verbs.SendInline == 0:
			dst, src = k.local[localDest].pointer(s.LKey, s.Addr, length), k.remote[remoteSource].pointer(key, addr, length)
		}
		if dst == nil || src == nil || length == 0 || length > chunkSize || unaddressable(wr, s) {
			break
		}
		store.OrderedAt(dst, src, int(length))
		if wr.SendFlags&verbs.SendSignaled != 0 || q.sigAll {
			q.finish(wr, number, verbs.WCSuccess)
		}
		wr = wr.Next
		number++
	}
	q.posted = number
	return wr
}

// unaddressable reports whether a request has inline data at an address where a process cannot have
// memory. checkInline rejects it.
func unaddressable(wr *verbs.SendWR, s *verbs.SGE) bool {
	return wr.SendFlags&verbs.SendInline != 0 && !addressable(s.Addr)
}

// sourcePointer returns the first byte of the data that a request sends, inline or from the region
// that was used last. It returns nil if the region must be looked up or the request is invalid.
func (q *qp) sourcePointer(wr *verbs.SendWR, s *verbs.SGE) *byte {
	switch {
	case wr.SendFlags&verbs.SendInline == 0:
		return q.cache.local[localSource].pointer(s.LKey, s.Addr, uint64(s.Length))
	case uint64(s.Length) <= uint64(q.cap.MaxInlineData):
		return pointerTo(s.Addr)
	}
	return nil
}

// postFastSends is postFast for SENDs. It executes at most limit requests, the first of which has
// the number, and also returns how many it executed.
func (q *qp) postFastSends(wr *verbs.SendWR, number, limit uint32) (*verbs.SendWR, uint32) {
	p, n := q.cache.peer, uint32(0)
	for ; q.cache.fastPath && wr != nil && wr.Opcode == verbs.OpSend && wr.NumSGE == 1 && wr.SGList != nil && n < limit && q.cache.valid(); wr = wr.Next {
		if p.xrcd != 0 && !q.sameSRQ(wr) || p.usesSRQ && !p.claim(wr.XRC(), q.sendsAhead(wr)) {
			break
		}
		s, length := wr.SGList, uint64(wr.SGList.Length)
		dst, src := p.plainReceive(&q.cache.remote[remoteRecv], length), q.sourcePointer(wr, s)
		mayHold := length <= maxHeldSend && p.mayHoldRecords()
		if !mayHold {
			q.flushHeldRecords()
		}
		if dst == nil || src == nil || length == 0 || length > chunkSize || unaddressable(wr, s) {
			break
		}
		store.OrderedAt(dst, src, int(length))
		if mayHold {
			p.holdRecord(length)
		} else {
			p.publish(wr, length, verbs.WCSuccess)
		}
		if q.sigAll || wr.SendFlags&verbs.SendSignaled != 0 {
			q.flushHeldRecords()
			q.finish(wr, number+n, verbs.WCSuccess)
		}
		n++
	}
	return wr, n
}

// sameSRQ reports whether an XRC request names the same SRQ as the previous one, and the SRQ still
// exists.
func (q *qp) sameSRQ(wr *verbs.SendWR) bool {
	p := q.cache.peer
	return p.srq == wr.XRC() && q.selectSRQ(p, wr.XRC()) == done
}

// maxHeldSend is the size in bytes up to which a message's record may be held back until those of
// the next three messages.
const maxHeldSend = 512

// endBatch does what the fast path has postponed: it publishes held records and releases claimed
// receives.
func (q *qp) endBatch() {
	q.flushHeldRecords()
	if q.peer != nil && q.peer.claimed > 0 {
		q.peer.releaseClaim()
	}
}

// flushHeldRecords publishes the records that holdRecord has held back.
func (q *qp) flushHeldRecords() {
	if q.peer != nil && q.peer.heldRecords > 0 {
		q.peer.flushHeld()
	}
}

// sendsAhead returns the number of requests that are pending or in the list from this one on, up to
// maxClaimed.
func (q *qp) sendsAhead(wr *verbs.SendWR) uint32 {
	if q.peer.claimed > 0 {
		return 0 // claim does not use it
	}
	n := q.pendTail - q.pendHead
	for ; wr != nil && n < maxClaimed; wr = wr.Next {
		n++
	}
	return n
}

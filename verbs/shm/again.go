package shm

import (
	"github.com/ibperf/ibperf/internal/place"
	"github.com/ibperf/ibperf/verbs"
)

// Requests that do what others did before them, between the same regions: what is known of
// those is all that there is to check.

// again carries out the WRITEs and READs, or the SENDs, of one piece at the head of a list, and
// returns the rest of it. It leaves to execute whatever is unusual, without having done anything
// of it.
func (q *qp) again(wr *verbs.SendWR) (rest *verbs.SendWR) {
	if wr.Opcode == verbs.OpSend && q.pendHead == q.pendTail {
		rest, n := q.sendsAgain(wr, q.posted, q.sendRoom())
		q.posted += n
		return rest
	}
	return q.rdmaAgain(wr)
}

// rdmaAgain is again for WRITEs and READs.
func (q *qp) rdmaAgain(wr *verbs.SendWR) (rest *verbs.SendWR) {
	k := &q.known
	if !k.again || q.pendHead != q.pendTail {
		return wr
	}
	q.flushRecords()
	number, most := q.posted, q.sendDone.Load()+uint32(q.cap.MaxSendWR)
	xrc := k.peer.xrcd != 0
	for wr != nil && number != most && wr.NumSGE == 1 && wr.SGList != nil {
		if !k.current() {
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
			dst, src = k.far[farTo].pointer(key, addr, length), q.source(wr, s)
		case wr.Opcode == verbs.OpRDMARead && wr.SendFlags&verbs.SendInline == 0:
			dst, src = k.near[nearTo].pointer(s.LKey, s.Addr, length), k.far[farFrom].pointer(key, addr, length)
		}
		if dst == nil || src == nil || length == 0 || length > chunk || unaddressable(wr, s) {
			break
		}
		place.OrderedAt(dst, src, int(length))
		if wr.SendFlags&verbs.SendSignaled != 0 || q.sigAll {
			q.finish(wr, number, verbs.WCSuccess)
		}
		wr = wr.Next
		number++
	}
	q.posted = number
	return wr
}

// unaddressable tells whether a request has inline data where a process has no memory: it is refused
// elsewhere.
func unaddressable(wr *verbs.SendWR, s *verbs.SGE) bool {
	return wr.SendFlags&verbs.SendInline != 0 && !addressable(s.Addr)
}

// source returns the first byte of what a request sends, inline or from the region that was used
// last; nil: that has to be looked up, or is refused.
func (q *qp) source(wr *verbs.SendWR, s *verbs.SGE) *byte {
	switch {
	case wr.SendFlags&verbs.SendInline == 0:
		return q.known.near[nearFrom].pointer(s.LKey, s.Addr, uint64(s.Length))
	case uint64(s.Length) <= uint64(q.cap.MaxInlineData):
		return pointerTo(s.Addr)
	}
	return nil
}

// sendsAgain is again for SENDs, of which the first has the number and so many are carried out at
// most. It also returns how many were.
func (q *qp) sendsAgain(wr *verbs.SendWR, number, most uint32) (*verbs.SendWR, uint32) {
	p, n := q.known.peer, uint32(0)
	for ; q.known.again && wr != nil && wr.Opcode == verbs.OpSend && wr.NumSGE == 1 && wr.SGList != nil && n < most && q.known.current(); wr = wr.Next {
		if p.xrcd != 0 && !q.sameSRQ(wr) || p.sharing && !p.claim(wr.XRC(), q.upcoming(wr)) {
			break
		}
		s, length := wr.SGList, uint64(wr.SGList.Length)
		dst, src := p.plainReceive(&q.known.far[farReceive], length), q.source(wr, s)
		holds := length <= holdMost && p.holds()
		if !holds {
			q.flushRecords()
		}
		if dst == nil || src == nil || length == 0 || length > chunk || unaddressable(wr, s) {
			break
		}
		place.OrderedAt(dst, src, int(length))
		if holds {
			p.hold(length)
		} else {
			p.publish(wr, length, verbs.WCSuccess)
		}
		if q.sigAll || wr.SendFlags&verbs.SendSignaled != 0 {
			q.flushRecords()
			q.finish(wr, number+n, verbs.WCSuccess)
		}
		n++
	}
	return wr, n
}

// sameSRQ tells whether a request of XRC names the shared receive queue that the one before
// it named, and that is still there.
func (q *qp) sameSRQ(wr *verbs.SendWR) bool {
	p := q.known.peer
	return p.srq == wr.XRC() && q.selectSRQ(p, wr.XRC()) == done
}

// holdMost is the size of messages whose completions may wait for those of the next three.
const holdMost = 512

// endRun does what again has put off: it publishes held records, and gives back receives that were
// taken ahead.
func (q *qp) endRun() {
	q.flushRecords()
	if q.peer != nil && q.peer.claimed > 0 {
		q.peer.unclaim()
	}
}

// flushRecords publishes what hold has kept back.
func (q *qp) flushRecords() {
	if q.peer != nil && q.peer.held > 0 {
		q.peer.flush()
	}
}

// upcoming counts the requests from this one on that wait, or are in its list, up to claimMost.
func (q *qp) upcoming(wr *verbs.SendWR) uint32 {
	if q.peer.claimed > 0 {
		return 0 // claim does not look at it
	}
	n := q.pendTail - q.pendHead
	for ; wr != nil && n < claimMost; wr = wr.Next {
		n++
	}
	return n
}

package shm

import (
	"github.com/ibperf/ibperf/internal/place"
	"github.com/ibperf/ibperf/verbs"
)

// Requests that do what others did before them, between the same regions: what is known of
// those is all that there is to check.

// again carries out the WRITEs or SENDs of one piece at the head of a list, up to most of them
// and the first of which is request number. It returns the rest of the list and how many it has
// carried out. It leaves to others whatever is unusual, without having done anything of it.
func (q *qp) again(wr *verbs.SendWR, number, most uint32) (rest *verbs.SendWR, n uint32) {
	switch {
	case !q.known.again:
	case wr.Opcode == verbs.OpRDMAWrite:
		return q.writesAgain(wr, number, most)
	case wr.Opcode == verbs.OpSend:
		return q.sendsAgain(wr, number, most)
	}
	return wr, 0
}

// writesAgain is again for WRITEs.
func (q *qp) writesAgain(wr *verbs.SendWR, number, most uint32) (*verbs.SendWR, uint32) {
	q.flushRecords()
	k, n := &q.known, uint32(0)
	xrc := k.peer.xrcd != 0
	for wr != nil && n < most && wr.Opcode == verbs.OpRDMAWrite && wr.NumSGE == 1 {
		if !k.current() {
			break
		}
		if xrc && !q.aimsAgain(wr) {
			break
		}
		s := wr.SGList
		addr, key := wr.RDMA()
		length := uint64(s.Length)
		dst, src := k.far[farTo].pointer(key, addr, length), q.source(wr, s)
		if dst == nil || src == nil || length == 0 || length > chunk {
			break
		}
		place.OrderedAt(dst, src, int(length))
		if wr.SendFlags&verbs.SendSignaled != 0 || q.sigAll {
			q.finish(wr, number+n, verbs.WCSuccess)
		}
		wr = wr.Next
		n++
	}
	return wr, n
}

// source returns the first byte that the SGE names, of this side or inline, or nil.
func (q *qp) source(wr *verbs.SendWR, s *verbs.SGE) *byte {
	switch {
	case wr.SendFlags&verbs.SendInline == 0:
		return q.known.near[nearFrom].pointer(s.LKey, s.Addr, uint64(s.Length))
	case uint64(s.Length) <= uint64(q.cap.MaxInlineData):
		return pointerTo(s.Addr)
	}
	return nil
}

// sendsAgain is again for SENDs.
func (q *qp) sendsAgain(wr *verbs.SendWR, number, most uint32) (*verbs.SendWR, uint32) {
	p, n := q.known.peer, uint32(0)
	for ; wr != nil && wr.Opcode == verbs.OpSend && wr.NumSGE == 1 && n < most && q.known.current(); wr = wr.Next {
		if p.xrcd != 0 && !q.aimsAgain(wr) || p.sharing && !p.claim(wr.XRC(), q.ahead(wr)) {
			break
		}
		s, length := wr.SGList, uint64(wr.SGList.Length)
		dst, src := p.plainReceive(&q.known.far[farReceive], length), q.source(wr, s)
		holds := length <= holdMost && p.holds()
		if !holds {
			q.flushRecords()
		}
		if dst == nil || src == nil || length == 0 || length > chunk {
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

// aimsAgain tells whether a request of XRC names the shared receive queue that the one before
// it named, and that is still there.
func (q *qp) aimsAgain(wr *verbs.SendWR) bool {
	p := q.known.peer
	return p.srq == wr.XRC() && q.aim(p, wr.XRC()) == done
}

// holdMost is the size of messages whose completions may wait for those of the next three.
const holdMost = 512

// endRun ends what requests have left undone that were carried out by again.
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

// ahead counts the requests from this one on that wait, or are in its list, up to claimMost.
func (q *qp) ahead(wr *verbs.SendWR) uint32 {
	if q.peer.claimed > 0 {
		return 0 // is as good
	}
	n := q.pendTail - q.pendHead
	for ; wr != nil && n < claimMost; wr = wr.Next {
		n++
	}
	return n
}

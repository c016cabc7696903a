package shm

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// outcome tells how far a request came.
type outcome int

const (
	done     outcome = iota // finished, with a status
	refused                 // finished, with a status that the peer has a part in
	notReady                // the peer has posted no receive
	asked                   // the peer was asked for a shared receive
	silent                  // the peer does not answer
	lacking                 // this process lacks descriptors or memory to reach the peer's
	leaving                 // requesters are still at work with what the request ends
)

// kind is what a request of an opcode does at either side.
type kind struct {
	need     verbs.Access // to the memory of this side
	right    verbs.Access // to the memory of the peer; 0: a receive names it
	near     int          // window of this side's memory
	far      int          // window of the peer's memory
	receives bool         // a receive is used up
	fetches  bool         // the peer must accept READs and atomic operations
}

const local, remoteW, remoteR, remoteA = verbs.AccessLocalWrite, verbs.AccessRemoteWrite, verbs.AccessRemoteRead, verbs.AccessRemoteAtomic

var kinds = [...]kind{
	verbs.OpRDMAWrite:         {0, remoteW, nearFrom, farTo, false, false},
	verbs.OpRDMAWriteWithImm:  {0, remoteW, nearFrom, farTo, true, false},
	verbs.OpSend:              {0, 0, nearFrom, farReceive, true, false},
	verbs.OpSendWithImm:       {0, 0, nearFrom, farReceive, true, false},
	verbs.OpSendWithInv:       {0, 0, nearFrom, farReceive, true, false},
	verbs.OpRDMARead:          {local, remoteR, nearTo, farFrom, false, true},
	verbs.OpAtomicCmpAndSwp:   {local, remoteA, nearTo, farWord, false, true},
	verbs.OpAtomicFetchAndAdd: {local, remoteA, nearTo, farWord, false, true},
	verbs.OpBindMW:            {far: farNothing},
	verbs.OpLocalInv:          {far: farNothing},
}

// execute carries the QP's request number out as a device would: keys, bounds and access of
// both sides are checked before a byte moves, and again when something changes
// meanwhile, the data is placed, and then the peer's completion is published. What is known
// must be current.
func (q *qp) execute(wr *verbs.SendWR, number uint32) (outcome, verbs.WCStatus) {
	q.endRun()
	k := &kinds[wr.Opcode]
	if k.far == farNothing {
		return q.changeWindow(wr)
	}
	n, status := q.gather(wr, k)
	if status != verbs.WCSuccess {
		return done, status
	}
	if q.typ == verbs.QPTypeUD {
		return done, q.sendDatagram(wr, n)
	}
	out, status := q.perform(wr, k, n, number)
	switch p := q.known.peer; {
	case k.receives && out == done:
		p.publish(wr, n, received(status))
	case out == refused && q.typ != verbs.QPTypeUC:
		p.fault(status)
		out = done
	}
	if q.typ == verbs.QPTypeUC && out != lacking && (out != done || status != verbs.WCLocProtErr) {
		return done, verbs.WCSuccess // what the peer does not take is lost, and neither side learns of it
	}
	return out, status
}

// perform carries out a request of n bytes, which q.near holds, at the peer.
func (q *qp) perform(wr *verbs.SendWR, k *kind, n uint64, number uint32) (out outcome, status verbs.WCStatus) {
	p := q.known.peer
	if p == nil {
		if p, out = q.reach(); p == nil {
			return out, 0
		}
		q.known.peer, q.known.again = p, q.prompt && q.cap.MaxSendSGE > 0 && q.known.state == verbs.QPRTS
	}
	if p.xrcd != 0 {
		if out = q.selectSRQ(p, wr.XRC()); out != done {
			return out, verbs.WCRemInvReqErr
		}
	}
	if wr.Opcode == verbs.OpSendWithInv && !q.mayInvalidate(p, wr.Invalidate()) {
		return refused, verbs.WCRemAccessErr
	}
	if k.receives {
		if q.notReadyYet(number) {
			return notReady, 0
		}
		if out = p.receive(wr.XRC()); out != done {
			return out, 0
		}
	}
	if out, status = q.findFar(p, wr, k, n); out != done || status != verbs.WCSuccess {
		return out, status
	}
	if k.far == farWord {
		return q.atomic(wr)
	}
	return q.move(p, wr, k, n, number)
}

// received is how the receive of a message ends that ended with a status at the requester.
func received(status verbs.WCStatus) verbs.WCStatus {
	switch status {
	case verbs.WCRemOpErr:
		return verbs.WCLocProtErr
	case verbs.WCRemInvReqErr:
		return verbs.WCLocLenErr
	}
	return status
}

// gather finds the memory of this side: q.near holds it in order.
func (q *qp) gather(wr *verbs.SendWR, k *kind) (n uint64, status verbs.WCStatus) {
	q.near = q.near[:0]
	sges := sgesOf(wr.SGList, wr.NumSGE)
	for i := range sges {
		s := &sges[i]
		if s.Length == 0 {
			continue
		}
		var b []byte
		if wr.SendFlags&verbs.SendInline != 0 {
			b = memoryAt(s.Addr, s.Length)
		} else if b = q.nearMemory(s, k); b == nil {
			return 0, verbs.WCLocProtErr
		}
		q.near = append(q.near, b)
		n += uint64(s.Length)
	}
	if n > maxMsgSize {
		return 0, verbs.WCLocLenErr
	}
	return n, verbs.WCSuccess
}

// findFar finds the memory of the peer: q.far holds it in order.
func (q *qp) findFar(p *peer, wr *verbs.SendWR, k *kind, n uint64) (outcome, verbs.WCStatus) {
	q.far = q.far[:0]
	switch {
	case k.right == 0:
		return q.findReceive(p, k, n)
	case verbs.Access(atomic.LoadUint32(&p.entry.access))&k.right == 0 || k.fetches && atomic.LoadUint32(&p.entry.destRdAtom) == 0:
		return refused, verbs.WCRemInvReqErr
	case n == 0:
		return done, verbs.WCSuccess
	}
	addr, key := wr.RDMA()
	if k.far == farWord {
		addr, key, _, _ = wr.Atomic()
	}
	b, out := q.farMemory(p, k, key, p.pd, addr, n)
	if out == done && b == nil {
		return refused, verbs.WCRemAccessErr
	}
	q.far = append(q.far, b)
	return out, verbs.WCSuccess
}

// findReceive finds the memory of the receive that was taken.
func (q *qp) findReceive(p *peer, k *kind, n uint64) (outcome, verbs.WCStatus) {
	sges := p.layout.receive(p.mem, p.next, &q.sges)
	if total(sges) < n {
		if q.unreliable() {
			return notReady, 0
		}
		return done, verbs.WCRemInvReqErr
	}
	for i := 0; n > 0; i++ {
		s := &sges[i]
		if s.Length == 0 {
			continue
		}
		b, out := q.farMemory(p, k, s.LKey, p.recvPD, s.Addr, uint64(s.Length))
		if out != done {
			return out, 0
		}
		if b == nil {
			return done, verbs.WCRemOpErr
		}
		q.far = append(q.far, b)
		n -= min(n, uint64(s.Length))
	}
	return done, verbs.WCSuccess
}

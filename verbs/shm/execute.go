package shm

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// outcome is the result of one attempt to execute a request.
type outcome int

const (
	done           outcome = iota // finished, with a status
	remoteNAK                     // finished: the peer sent a NAK, which fails both QPs
	rnrNAK                        // the peer has no receive: RNR NAK
	awaitsSRQ                     // the peer's owner was asked to supply a receive of an SRQ
	noResponse                    // the peer does not respond
	outOfResources                // this process lacks descriptors or memory to map the peer's memory
	quiescing                     // requesters may still use what the request invalidates
)

// opKind describes what a request with an opcode does on each side.
type opKind struct {
	localAccess  verbs.Access // access that local memory must allow
	remoteAccess verbs.Access // access that remote memory must allow; 0: a receive names the memory
	local        int          // index in requesterCache.local
	remote       int          // index in requesterCache.remote
	takesReceive bool         // consumes a receive of the peer
	fetches      bool         // READ or atomic operation: needs responder resources (max_dest_rd_atomic)
}

const localW, remoteW, remoteR, remoteA = verbs.AccessLocalWrite, verbs.AccessRemoteWrite, verbs.AccessRemoteRead, verbs.AccessRemoteAtomic

var opKinds = [...]opKind{
	verbs.OpRDMAWrite:         {0, remoteW, localSource, remoteDest, false, false},
	verbs.OpRDMAWriteWithImm:  {0, remoteW, localSource, remoteDest, true, false},
	verbs.OpSend:              {0, 0, localSource, remoteRecv, true, false},
	verbs.OpSendWithImm:       {0, 0, localSource, remoteRecv, true, false},
	verbs.OpSendWithInv:       {0, 0, localSource, remoteRecv, true, false},
	verbs.OpRDMARead:          {localW, remoteR, localDest, remoteSource, false, true},
	verbs.OpAtomicCmpAndSwp:   {localW, remoteA, localDest, remoteAtomic, false, true},
	verbs.OpAtomicFetchAndAdd: {localW, remoteA, localDest, remoteAtomic, false, true},
	verbs.OpBindMW:            {remote: remoteNone},
	verbs.OpLocalInv:          {remote: remoteNone},
}

// execute executes the request with the number as a NIC would. It checks keys, bounds and access of
// both sides before a byte moves, and again if something changes meanwhile; it stores the data and
// then publishes the peer's completion. The region cache must be valid.
func (q *qp) execute(wr *verbs.SendWR, number uint32) (outcome, verbs.WCStatus) {
	q.endBatch()
	k := &opKinds[wr.Opcode]
	if k.remote == remoteNone {
		return q.changeWindow(wr)
	}
	n, status := q.resolveLocal(wr, k)
	if status != verbs.WCSuccess {
		return done, status
	}
	if q.typ == verbs.QPTypeUD {
		return done, q.sendDatagram(wr, n)
	}
	out, status := q.executeAtPeer(wr, k, n, number)
	switch p := q.cache.peer; {
	case k.takesReceive && out == done:
		p.publish(wr, n, recvStatus(status))
	case out == remoteNAK && q.typ != verbs.QPTypeUC:
		p.fault(status)
		out = done
	}
	if q.typ == verbs.QPTypeUC && out != outOfResources && (out != done || status != verbs.WCLocProtErr) {
		return done, verbs.WCSuccess // UC: the peer drops it, and neither side is notified
	}
	return out, status
}

// executeAtPeer executes a request of n bytes in q.localMem at the peer.
func (q *qp) executeAtPeer(wr *verbs.SendWR, k *opKind, n uint64, number uint32) (out outcome, status verbs.WCStatus) {
	if out, status = q.resolveAtPeer(wr, k, n, number); out != done || status != verbs.WCSuccess {
		return out, status
	}
	if k.remote == remoteAtomic {
		return q.atomic(wr)
	}
	return q.copyData(q.cache.peer, wr, k, n, number)
}

// resolveAtPeer reaches the peer, finds its receive if the request takes one, and its memory.
func (q *qp) resolveAtPeer(wr *verbs.SendWR, k *opKind, n uint64, number uint32) (out outcome, status verbs.WCStatus) {
	p := q.cache.peer
	if p == nil {
		if p, out = q.reachPeer(); p == nil {
			return out, 0
		}
		q.cache.peer, q.cache.fastPath = p, q.immediate && q.cap.MaxSendSGE > 0 && q.cache.state == verbs.QPRTS
	}
	if p.xrcd != 0 {
		if out = q.selectSRQ(p, wr.XRC()); out != done {
			return out, verbs.WCRemInvReqErr
		}
	}
	if wr.Opcode == verbs.OpSendWithInv && !q.mayInvalidate(p, wr.Invalidate()) {
		return remoteNAK, verbs.WCRemAccessErr
	}
	if k.takesReceive {
		if q.injectRNR(number) {
			return rnrNAK, 0
		}
		if out = p.takeReceive(wr.XRC()); out != done {
			return out, 0
		}
	}
	return q.resolveRemote(p, wr, k, n)
}

// recvStatus returns the status of the peer's receive for a message that ended with a status at the
// requester.
func recvStatus(status verbs.WCStatus) verbs.WCStatus {
	switch status {
	case verbs.WCRemOpErr:
		return verbs.WCLocProtErr
	case verbs.WCRemInvReqErr:
		return verbs.WCLocLenErr
	}
	return status
}

// resolveLocal finds the local memory of the SGEs and stores it in q.localMem.
func (q *qp) resolveLocal(wr *verbs.SendWR, k *opKind) (n uint64, status verbs.WCStatus) {
	q.localMem = q.localMem[:0]
	sges := sgesOf(wr.SGList, wr.NumSGE)
	for i := range sges {
		s := &sges[i]
		if s.Length == 0 {
			continue
		}
		var b []byte
		if wr.SendFlags&verbs.SendInline != 0 {
			b = memoryAt(s.Addr, s.Length)
		} else if b = q.localMemory(s, k); b == nil {
			return 0, verbs.WCLocProtErr
		}
		q.localMem = append(q.localMem, b)
		n += uint64(s.Length)
	}
	if n > maxMsgSize {
		return 0, verbs.WCLocLenErr
	}
	return n, verbs.WCSuccess
}

// resolveRemote finds the peer's memory and stores it in q.remoteMem.
func (q *qp) resolveRemote(p *peerQP, wr *verbs.SendWR, k *opKind, n uint64) (outcome, verbs.WCStatus) {
	q.remoteMem = q.remoteMem[:0]
	switch {
	case k.remoteAccess == 0:
		return q.resolveReceive(p, k, n)
	case verbs.Access(atomic.LoadUint32(&p.entry.access))&k.remoteAccess == 0 || k.fetches && atomic.LoadUint32(&p.entry.destRdAtom) == 0:
		return remoteNAK, verbs.WCRemInvReqErr
	case n == 0:
		return done, verbs.WCSuccess
	}
	addr, key := wr.RDMA()
	if k.remote == remoteAtomic {
		addr, key, _, _ = wr.Atomic()
	}
	b, out := q.remoteMemory(p, k, key, p.pd, addr, n)
	if out == done && b == nil {
		return remoteNAK, verbs.WCRemAccessErr
	}
	q.remoteMem = append(q.remoteMem, b)
	return out, verbs.WCSuccess
}

// resolveReceive finds the memory of the peer's receive.
func (q *qp) resolveReceive(p *peerQP, k *opKind, n uint64) (outcome, verbs.WCStatus) {
	sges := p.layout.receive(p.mem, p.next, &q.sges)
	if totalLength(sges) < n {
		if q.unreliable() {
			return rnrNAK, 0
		}
		return done, verbs.WCRemInvReqErr
	}
	for i := 0; n > 0; i++ {
		s := &sges[i]
		if s.Length == 0 {
			continue
		}
		b, out := q.remoteMemory(p, k, s.LKey, p.recvPD, s.Addr, uint64(s.Length))
		if out != done {
			return out, 0
		}
		if b == nil {
			return done, verbs.WCRemOpErr
		}
		q.remoteMem = append(q.remoteMem, b)
		n -= min(n, uint64(s.Length))
	}
	return done, verbs.WCSuccess
}

package shm

import (
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/store"
	"github.com/ibperf/ibperf/verbs/shm/internal/ring"
)

// peerQP is the connected QP as this side's requester sees it.
type peerQP struct {
	peerCtx     *peerContext
	num         uint32
	entry       *qpEntry
	mem         []byte // memory of its receive queue
	inode       uint64 // of the receive queue
	header      *recvHeader
	layout      recvLayout
	records     []record
	notifier    *notifier // of the CQ that the next record completes on; nil: it has no channel
	fence       uint32    // for the full fence in storeRecord
	arrivals    *arrivals // where this requester names the QP if asks is not 0; nil: it never does
	asks        *uint64
	epoch       uint32 // epoch of the connection that this requester has begun to use; 0: none
	next        uint32 // number of the next receive to consume
	postedSeen  uint32 // last value of header.posted; unused with SRQs
	heldRecords uint32 // number of records before next that are not published yet; see holdRecord
	heldLine    [lineRecords]record
	pd          uint32           // PD of the memory for RDMA
	recvPD      uint32           // PD of the receives' memory
	stamps      verbs.Timestamps // timestamps of the CQ that the next record completes on
	usesSRQ     bool             // receives come from SRQs; see srq_supply.go
	claimed     uint32           // supplied receives, from next on, that this requester has claimed
	xrcd        uint32           // XRC: the QP's domain; pd, recvPD, notifier and stamps then belong to the last request's SRQ
	srq         uint32           // XRC: number of the last request's SRQ

	invalidated map[uint32]uint64 // windows that this requester has invalidated: serials of their binds, by index

	doorbell coalescedPacket // to the peer's device
}

// mapPeerQP maps the receive queue of the peer's QP.
func (q *qp) mapPeerQP(r *peerContext) (*peerQP, error) {
	num := q.attr.DestQPNum
	e := &r.dir.qps[numIndex(num)]
	l := recvLayout{n: atomic.LoadUint32(&e.slots), maxSGE: atomic.LoadUint32(&e.maxSGE)}
	fd, inode, cq := atomic.LoadUint32(&e.fd), atomic.LoadUint64(&e.inode), atomic.LoadUint32(&e.cq)
	if atomic.LoadUint32(&e.num) != num || verbs.QPType(atomic.LoadUint32(&e.typ)) != q.peerType() || !l.valid() || inode == 0 {
		return nil, errPeer
	}
	p := &peerQP{peerCtx: r, num: num, entry: e, layout: l, inode: inode}
	var err error
	if cq != 0 {
		if p.notifier, err = r.notifier(cq); err != nil {
			return nil, err
		}
	}
	if p.mem, err = r.mapMemory(fd, inode, l.size(), unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return nil, err
	}
	p.header, p.records = view[recvHeader](p.mem, 0), viewRecords(p.mem, l.n)
	p.pd, p.recvPD = atomic.LoadUint32(&e.pd), atomic.LoadUint32(&e.recvPD)
	p.stamps = verbs.Timestamps(atomic.LoadUint32(&e.stamps))
	p.usesSRQ, p.xrcd = atomic.LoadUint32(&e.usesSRQ) != 0, atomic.LoadUint32(&e.xrcd)
	return p, nil
}

// unmap unmaps the receive queue, when the QP ends; the context may live longer.
func (p *peerQP) unmap() { unix.Munmap(p.mem) }

// reachPeer returns the peer if its QP exists, is connected to this one and is in a state that
// executes requests. Otherwise the outcome is that of a lost packet.
func (q *qp) reachPeer() (*peerQP, outcome) {
	r := q.peerCtx.Load()
	if r == nil || r.gone.Load() || q.linkDown {
		return nil, noResponse
	}
	if was := q.peer; was == nil || was.inode != atomic.LoadUint64(&was.entry.inode) {
		p, err := q.mapPeerQP(r)
		switch {
		case isTransient(err):
			return nil, outOfResources
		case err != nil:
			return nil, noResponse
		}
		if was != nil {
			p.epoch, p.invalidated = was.epoch, was.invalidated
			was.unmap()
		}
		q.peer = p
	}
	p := q.peer
	e := p.entry
	if atomic.LoadUint32(&e.num) != p.num || !receives(verbs.QPState(atomic.LoadUint32(&e.state))) ||
		atomic.LoadUint32(&e.destNum) != q.num || atomic.LoadUint64(&e.destID) != q.ctx.id {
		return nil, noResponse
	}
	if epoch := atomic.LoadUint32(&e.epoch); epoch != p.epoch && !q.beginConnection(p, epoch) {
		return nil, noResponse
	}
	return p, done
}

// beginConnection begins to use a connection of the peer, and reports whether that is allowed. If
// the peer is in RTR, its device is notified. For RC the first request must carry the packet number
// that the peer expects, and only one requester can be the first. UC also continues a connection
// that it used before its last RESET, since its packet numbers only mark message boundaries.
func (q *qp) beginConnection(p *peerQP, epoch uint32) bool {
	resumes := false
	switch {
	case !q.unreliable() && (p.epoch != 0 || atomic.LoadUint32(&p.entry.rqPSN) != q.attr.SQPSN):
		return false
	case atomic.CompareAndSwapUint64(&p.header.requester, 0, uint64(q.num)):
	case q.unreliable() && atomic.LoadUint64(&p.header.requester) == uint64(q.num):
		resumes = true
	default:
		return false
	}
	p.epoch, p.next = epoch, 0
	p.arrivals = nil
	if number := atomic.LoadUint32(&p.entry.arrivals); number != 0 {
		p.arrivals, p.asks = &q.ctx.arrivals[(number-1)%arrivalRings], &p.peerCtx.dir.asks[(number-1)%arrivalRings][0]
	}
	if resumes {
		p.next = p.published()
	}
	p.postedSeen, p.claimed = p.next, 0
	if verbs.QPState(atomic.LoadUint32(&p.entry.state)) == verbs.QPRTR {
		p.ringDoorbell()
	}
	return true
}

// published returns the number of records on this connection, which wraps around. Slot 0 is empty
// only if all slots are.
func (p *peerQP) published() uint32 {
	n := p.records[0].Number()
	for i := range p.records {
		if at := p.records[i].Number(); int32(at-n) > 0 {
			n = at
		}
	}
	return n
}

// selectSRQ finds the SRQ that a request of XRC names. Its PD determines the memory that the
// request may use, since an XRC_RECV QP has no PD.
func (q *qp) selectSRQ(p *peerQP, num uint32) outcome {
	e := &p.peerCtx.dir.srqs[num%maxSRQ]
	if p.srq != num {
		q.cache.remote = [remoteKinds]cachedRegion{}
	}
	p.srq, p.pd = num, atomic.LoadUint32(&e.pd)
	p.recvPD, p.notifier, p.stamps = p.pd, nil, verbs.Timestamps(atomic.LoadUint32(&e.stamps))
	cq := atomic.LoadUint32(&e.cq)
	if num == 0 || atomic.LoadUint32(&e.xrcd) != p.xrcd || atomic.LoadUint32(&e.num) != num {
		return remoteNAK
	}
	if cq != 0 {
		var err error
		if p.notifier, err = p.peerCtx.notifier(cq); isTransient(err) {
			return outOfResources
		}
	}
	return done
}

// wqe returns the peer's next receive.
func (p *peerQP) wqe() *recvWQE { return view[recvWQE](p.mem, p.layout.wqeAt(p.next)) }

// hasReceive reports whether the peer has posted the next receive.
func (p *peerQP) hasReceive() bool {
	if p.usesSRQ {
		return p.claimed > 0 || uint32(atomic.LoadUint64(&p.header.supplied)>>32) != p.next
	}
	if p.postedSeen == p.next {
		p.postedSeen = ring.Posted(&p.header.posted)
	}
	return p.postedSeen != p.next
}

// takeReceive makes sure that the next receive is available to a message; the message's record
// consumes it.
func (p *peerQP) takeReceive(srq uint32) outcome {
	if p.usesSRQ {
		return p.claimOrRequest(srq)
	}
	if p.hasReceive() || p.awaitReceive() {
		return done
	}
	return rnrNAK
}

// awaitReceive spins briefly for the peer's next receive and reports whether it is there. This
// costs a sender that is faster than its receiver less than queueing the request. It pauses between
// two reads so that the receiver can write without contention.
func (p *peerQP) awaitReceive() bool {
	for range receiveSpins {
		store.Pause(spinPauseTicks)
		if p.hasReceive() {
			return true
		}
	}
	return false
}

const (
	receiveSpins   = 16
	spinPauseTicks = 250 // about 0.1 us
)

// plainReceive returns the first byte of memory for a message of n bytes. It returns nil unless the
// peer's next receive has one SGE, within the cached region and with room for the message. The peer
// may change the SGE at any time, so each value is read once.
func (p *peerQP) plainReceive(w *cachedRegion, n uint64) *byte {
	if !p.hasReceive() || atomic.LoadUint32(&p.wqe().numSGE) != 1 {
		return nil
	}
	s := view[verbs.SGE](p.mem, p.layout.firstAt(p.next))
	room := uint64(atomic.LoadUint32(&s.Length))
	if n > room {
		return nil
	}
	return w.pointer(atomic.LoadUint32(&s.LKey), atomic.LoadUint64(&s.Addr), room)
}

// publish completes the receive that a message of n bytes consumed.
func (p *peerQP) publish(wr *verbs.SendWR, n uint64, status verbs.WCStatus) {
	w0, w1 := n&(1<<32-1), uint64(recvOpcodes[wr.Opcode])<<recOpShift|uint64(status)
	if (opsImm|opsMW)>>wr.Opcode&1 != 0 {
		w0 |= uint64(immWord(wr.Imm)) << 32
		w1 |= recWithImm
		if wr.Opcode == verbs.OpSendWithInv {
			w1 ^= recWithImm | recWithInv
			p.invalidate(wr.Invalidate())
		}
	}
	p.storeRecord(w0, w1, wr.SendFlags&verbs.SendSolicited != 0 || status != verbs.WCSuccess)
	p.advance()
	if status != verbs.WCSuccess {
		p.ringDoorbell()
	}
}

// advance moves on to the next receive.
func (p *peerQP) advance() {
	p.next++
	if p.claimed > 0 {
		p.claimed--
	}
}

// fault publishes a fault record: the peer's side of the connection fails with the status.
func (p *peerQP) fault(status verbs.WCStatus) {
	p.storeRecord(0, recFault|uint64(status), true)
	p.ringDoorbell()
}

// storeRecord writes the record of receive p.next. With a notifier the stores end in a full fence,
// so that the word of the CQ is read after the record is visible; see notifier.notify.
func (p *peerQP) storeRecord(w0, w1 uint64, solicited bool) {
	rec := &p.records[p.next&(p.layout.n-1)]
	w1 = ring.Second(w1, p.next)
	if p.stamps != verbs.TimestampNone {
		atomic.StoreUint64(view[uint64](p.mem, p.layout.timeAt(p.next)), timestamp(p.stamps))
	}
	if p.notifier == nil {
		rec.Publish(w0, w1)
		p.name()
		return
	}
	rec.PublishFenced(w0, w1)
	if p.name() {
		atomic.AddUint32(&p.fence, 1)
	}
	p.notifier.notify(solicited)
}

// name names the QP in whose queue records were published, if its CQ asks for that, and reports whether it does.
func (p *peerQP) name() bool {
	if p.arrivals == nil || atomic.LoadUint64(p.asks) == 0 {
		return false
	}
	p.arrivals.add(p.num)
	return true
}

// mayHoldRecords reports whether records may be held back: the CQ has neither a channel nor
// timestamps.
func (p *peerQP) mayHoldRecords() bool { return p.notifier == nil && p.stamps == verbs.TimestampNone }

// holdRecord completes the receive that a SEND of n bytes consumed. It publishes at the last record
// of a cache line or at flushHeld. So a list of SENDs takes each line of records from the peer's
// cache once, instead of once for each message.
func (p *peerQP) holdRecord(n uint64) {
	at := p.next % lineRecords
	p.heldRecords++
	p.heldLine[at] = record{n, ring.Second(uint64(verbs.WCRecv)<<recOpShift, p.next)}
	p.advance()
	if at == lineRecords-1 {
		p.flushHeld()
	}
}

// flushHeld publishes the held records. The first one is published last, since the peer polls that
// one.
func (p *peerQP) flushHeld() {
	for i := p.next; p.heldRecords > 0; p.heldRecords-- {
		i--
		w := &p.heldLine[i%lineRecords]
		p.records[i&(p.layout.n-1)].Publish(w[0], w[1])
	}
	p.name()
}

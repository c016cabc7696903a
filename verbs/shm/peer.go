package shm

import (
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// peer is the connected QP as this side's requester sees it.
type peer struct {
	remote  *remote
	num     uint32
	entry   *qpEntry
	mem     []byte // its receive queue
	layout  recvLayout
	records []record
	bell    *bell  // its receive CQ's; nil if that has no channel
	epoch   uint32 // of the connection that this requester has begun to use; 0: none
	next    uint32 // number of the next receive to take
	pd      uint32 // of the memory for RDMA
	recvPD  uint32 // of the receives' memory
	sharing bool   // receives are to be asked for
	xrcd    uint32 // of XRC: the QP's domain; pd and recvPD are those of the last request's queue
	srq     uint32 // of XRC: the last request's queue
	asked   bool   // that was done, and none was taken since

	target  lastRegion // of RDMA
	scatter lastRegion // of receives
}

// attach takes over the peer QP's receive queue. It returns nil if that has not come.
func (r *remote) attach(num uint32) *peer {
	q, ok := r.takeAhead(num)
	if !ok {
		return nil
	}
	p := &peer{remote: r, num: num, entry: &r.dir.qps[numIndex(num)], layout: q.layout, mem: q.mem, bell: q.bell}
	p.pd, p.recvPD = atomic.LoadUint32(&p.entry.pd), atomic.LoadUint32(&p.entry.recvPD)
	p.sharing, p.xrcd = atomic.LoadUint32(&p.entry.sharing) != 0, atomic.LoadUint32(&p.entry.xrcd)
	p.records = viewRecords(p.mem, q.layout.n)
	return p
}

// unmap gives the receive queue back; it goes with its QP, not with the context.
func (p *peer) unmap() { unix.Munmap(p.mem) }

// reach returns the peer if its QP is there, connected to this one and in a
// state that executes requests; otherwise nil, as if no packet had come back.
func (q *qp) reach() *peer {
	r := q.remote.Load()
	if r == nil || r.dead.Load() {
		return nil
	}
	p := q.peer
	if p == nil {
		if p = r.attach(q.attr.DestQPNum); p == nil {
			return nil
		}
		if verbs.QPType(atomic.LoadUint32(&p.entry.typ)) != q.peerType() {
			p.unmap()
			return nil
		}
		q.peer = p
	}
	e := p.entry
	if atomic.LoadUint32(&e.num) != q.attr.DestQPNum || !receives(verbs.QPState(atomic.LoadUint32(&e.state))) ||
		atomic.LoadUint32(&e.destNum) != q.num || atomic.LoadUint64(&e.destID) != q.ctx.id {
		return nil
	}
	if epoch := atomic.LoadUint32(&e.epoch); epoch != p.epoch && !q.begin(p, epoch) {
		return nil
	}
	return p
}

// begin starts to use a connection of the peer, which learns of it if it is not
// going to send itself.
func (q *qp) begin(p *peer, epoch uint32) bool {
	claim := q.claim
	if q.unreliable() {
		claim = q.resume
	}
	if !claim(p, epoch) {
		return false
	}
	if verbs.QPState(atomic.LoadUint32(&p.entry.state)) == verbs.QPRTR {
		p.notify()
	}
	return true
}

// claim takes a connection that nobody has used: its first request must carry the
// packet number that the peer expects, and only one requester can be the first.
func (q *qp) claim(p *peer, epoch uint32) bool {
	if p.epoch != 0 || atomic.LoadUint32(&p.entry.rqPSN) != q.attr.SQPSN {
		return false
	}
	session := &view[recvHeader](p.mem, 0).session
	if !atomic.CompareAndSwapUint64(session, 0, uint64(q.num)) {
		return false
	}
	p.epoch, p.next = epoch, 0
	return true
}

// hasReceive tells whether the peer has posted a receive that is not taken.
func (p *peer) hasReceive() bool {
	return atomic.LoadUint32(&view[recvWQE](p.mem, p.layout.wqeAt(p.next)).seq) == p.next+1
}

// receive returns the SGEs of the peer's next receive, or ok = false if none is
// posted. They are copied, because the peer may change them at any time.
func (p *peer) receive(into *[maxSGE]verbs.SGE) (sges []verbs.SGE, ok bool) {
	at := p.layout.wqeAt(p.next)
	w := view[recvWQE](p.mem, at)
	if atomic.LoadUint32(&w.seq) != p.next+1 {
		return nil, false
	}
	n := min(atomic.LoadUint32(&w.numSGE), p.layout.maxSGE)
	copy(into[:n], viewSGEs(p.mem, at+wqeHeader, n))
	return into[:n], true
}

package shm

import (
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/internal/place"
	"github.com/ibperf/ibperf/verbs"
)

// peer is the connected QP as this side's requester sees it.
type peer struct {
	remote   *remote
	num      uint32
	entry    *qpEntry
	mem      []byte // its receive queue
	inode    uint64 // of that
	header   *recvHeader
	layout   recvLayout
	records  []record
	notifier *notifier // of the CQ that the next record is for; nil if that has no channel
	epoch    uint32    // of the connection that this requester has begun to use; 0: none
	next     uint32    // number of the next receive to take
	posted   uint32    // receives that were there when they were last looked for, if none are lent
	held     uint32    // the last so many records are not published yet; see hold
	line     [lineRecords]record
	pd       uint32           // of the memory for RDMA
	recvPD   uint32           // of the receives' memory
	stamps   verbs.Timestamps // of the CQ that the next record is for
	sharing  bool             // receives are lent; see shared.go
	claimed  uint32           // lent receives, from the next one on, that this side has taken
	xrcd     uint32           // of XRC: the QP's domain; pd, recvPD, notifier and stamps are those of the last request's queue
	srq      uint32           // of XRC: the last request's queue

	invalid map[uint32]uint64 // windows that this requester has made invalid: their binds, by place

	look late // that it is asked for
}

// attach maps the receive queue of the peer's QP.
func (q *qp) attach(r *remote) (*peer, error) {
	num := q.attr.DestQPNum
	e := &r.dir.qps[numIndex(num)]
	l := recvLayout{n: atomic.LoadUint32(&e.slots), maxSGE: atomic.LoadUint32(&e.maxSGE)}
	fd, inode, cq := atomic.LoadUint32(&e.fd), atomic.LoadUint64(&e.inode), atomic.LoadUint32(&e.cq)
	if atomic.LoadUint32(&e.num) != num || verbs.QPType(atomic.LoadUint32(&e.typ)) != q.peerType() || !l.valid() || inode == 0 {
		return nil, errPeer
	}
	p := &peer{remote: r, num: num, entry: e, layout: l, inode: inode}
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
	p.sharing, p.xrcd = atomic.LoadUint32(&e.sharing) != 0, atomic.LoadUint32(&e.xrcd)
	return p, nil
}

// unmap unmaps the receive queue; it goes with its QP, not with the context.
func (p *peer) unmap() { unix.Munmap(p.mem) }

// reach returns the peer if its QP is there, connected to this one and in a state that
// executes requests. Otherwise it is as if no packet had come back.
func (q *qp) reach() (*peer, outcome) {
	r := q.remote.Load()
	if r == nil || r.dead.Load() || q.down {
		return nil, silent
	}
	if was := q.peer; was == nil || was.inode != atomic.LoadUint64(&was.entry.inode) {
		p, err := q.attach(r)
		switch {
		case passing(err):
			return nil, lacking
		case err != nil:
			return nil, silent
		}
		if was != nil {
			p.epoch, p.invalid = was.epoch, was.invalid
			was.unmap()
		}
		q.peer = p
	}
	p := q.peer
	e := p.entry
	if atomic.LoadUint32(&e.num) != p.num || !receives(verbs.QPState(atomic.LoadUint32(&e.state))) ||
		atomic.LoadUint32(&e.destNum) != q.num || atomic.LoadUint64(&e.destID) != q.ctx.id {
		return nil, silent
	}
	if epoch := atomic.LoadUint32(&e.epoch); epoch != p.epoch && !q.begin(p, epoch) {
		return nil, silent
	}
	return p, done
}

// begin starts to use a connection of the peer, which learns of it if it is not going to send
// itself. Of RC the first request must carry the packet number that the peer expects, and only
// one requester can be the first. UC goes on with a connection that it has used before its last
// RESET, too: its packet numbers only tell where messages begin.
func (q *qp) begin(p *peer, epoch uint32) bool {
	again := false
	switch {
	case !q.unreliable() && (p.epoch != 0 || atomic.LoadUint32(&p.entry.rqPSN) != q.attr.SQPSN):
		return false
	case atomic.CompareAndSwapUint64(&p.header.session, 0, uint64(q.num)):
	case q.unreliable() && atomic.LoadUint64(&p.header.session) == uint64(q.num):
		again = true
	default:
		return false
	}
	p.epoch, p.next = epoch, 0
	if again {
		p.next = p.published()
	}
	p.posted, p.claimed = p.next, 0
	if verbs.QPState(atomic.LoadUint32(&p.entry.state)) == verbs.QPRTR {
		p.requestLook()
	}
	return true
}

// published counts the records that the connection has seen, a number that wraps around. The first
// place is empty only if all are.
func (p *peer) published() uint32 {
	n := p.records[0].number()
	for i := range p.records {
		if at := p.records[i].number(); int32(at-n) > 0 {
			n = at
		}
	}
	return n
}

// number is the number of the receive that a record is of, plus one; 0: the record is empty.
func (r *record) number() uint32 { return uint32(atomic.LoadUint64(&r[1]) >> recSeqAt) }

// selectSRQ finds the shared receive queue that a request of XRC names. Its PD is the one
// whose memory the request may use: a QP of type XRC_RECV has none.
func (q *qp) selectSRQ(p *peer, num uint32) outcome {
	e := &p.remote.dir.srqs[num%maxSRQ]
	if p.srq != num {
		q.known.far = [farKinds]window{}
	}
	p.srq, p.pd = num, atomic.LoadUint32(&e.pd)
	p.recvPD, p.notifier, p.stamps = p.pd, nil, verbs.Timestamps(atomic.LoadUint32(&e.stamps))
	cq := atomic.LoadUint32(&e.cq)
	if num == 0 || atomic.LoadUint32(&e.xrcd) != p.xrcd || atomic.LoadUint32(&e.num) != num {
		return refused
	}
	if cq != 0 {
		var err error
		if p.notifier, err = p.remote.notifier(cq); passing(err) {
			return lacking
		}
	}
	return done
}

// wqe is the peer's next receive.
func (p *peer) wqe() *recvWQE { return view[recvWQE](p.mem, p.layout.wqeAt(p.next)) }

// hasReceive tells whether the peer's next receive is there.
func (p *peer) hasReceive() bool {
	if p.sharing {
		return p.claimed > 0 || uint32(atomic.LoadUint64(&p.header.lent)>>32) != p.next
	}
	if p.posted == p.next {
		p.posted = atomic.LoadUint32(&p.header.posted)
	}
	return p.posted != p.next
}

// receive takes the peer's next receive for a message, which its record will use up.
func (p *peer) receive(srq uint32) outcome {
	if p.sharing {
		return p.borrow(srq)
	}
	if p.hasReceive() || p.awaitReceive() {
		return done
	}
	return notReady
}

// awaitReceive waits a little for the peer's next receive: a sender that is faster
// than its receiver loses less by that than by queueing. Between two looks it lets
// the receiver write in peace.
func (p *peer) awaitReceive() bool {
	for range patience {
		place.Pause(pauseTicks)
		if p.hasReceive() {
			return true
		}
	}
	return false
}

const (
	patience   = 16
	pauseTicks = 250 // 0.1 us
)

// plainReceive returns the first byte of the memory for a message of n bytes if the peer's next receive is a
// piece of memory that the window shows, and has room for it. The peer may change its SGE at any
// time: each value is taken once.
func (p *peer) plainReceive(w *window, n uint64) *byte {
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

// publish completes the receive that a message of n bytes took.
func (p *peer) publish(wr *verbs.SendWR, n uint64, status verbs.WCStatus) {
	w0, w1 := n&(1<<32-1), uint64(recvOpcodes[wr.Opcode])<<recOpShift|uint64(status)
	if (opsImm|opsMW)>>wr.Opcode&1 != 0 {
		w0 |= uint64(immWord(wr.Imm)) << 32
		w1 |= recWithImm
		if wr.Opcode == verbs.OpSendWithInv {
			w1 ^= recWithImm | recWithInv
			p.invalidate(wr.Invalidate())
		}
	}
	p.store(w0, w1, wr.SendFlags&verbs.SendSolicited != 0 || status != verbs.WCSuccess)
	p.usedUp()
	if status != verbs.WCSuccess {
		p.requestLook()
	}
}

// usedUp counts the receive of a message.
func (p *peer) usedUp() {
	p.next++
	if p.claimed > 0 {
		p.claimed--
	}
}

// fault tells the peer that its side of the connection has failed, and why.
func (p *peer) fault(status verbs.WCStatus) {
	p.store(0, recFault|uint64(status), true)
	p.requestLook()
}

// store writes the record at p.next. With a notifier it ends in a full fence, so
// that the look at the arm comes after the record is visible; see notifier.notify.
func (p *peer) store(w0, w1 uint64, solicited bool) {
	rec := &p.records[p.next&(p.layout.n-1)]
	w1 |= uint64(p.next+1) << recSeqAt
	if p.stamps != verbs.TimestampNone {
		atomic.StoreUint64(view[uint64](p.mem, p.layout.timeAt(p.next)), timestamp(p.stamps))
	}
	if p.notifier == nil {
		place.Publish((*[2]uint64)(rec), w0, w1)
		return
	}
	atomic.StoreUint64(&rec[0], w0)
	atomic.StoreUint64(&rec[1], w1)
	p.notifier.notify(solicited)
}

// holds tells whether the records may be held: nobody sleeps for them, or asks when they came.
func (p *peer) holds() bool { return p.notifier == nil && p.stamps == verbs.TimestampNone }

// hold completes the receive that a SEND of n bytes took, when the last record of its cache line
// is there, or at flush. While a list is posted a line is so taken from the peer once, and not
// for each message.
func (p *peer) hold(n uint64) {
	at := p.next % lineRecords
	p.usedUp()
	p.held++
	p.line[at] = record{n, uint64(verbs.WCRecv)<<recOpShift | uint64(p.next)<<recSeqAt}
	if at == lineRecords-1 {
		p.flush()
	}
}

// flush publishes the records that are held, the first one last: it is what the peer looks at.
func (p *peer) flush() {
	for i := p.next; p.held > 0; p.held-- {
		i--
		w := &p.line[i%lineRecords]
		place.Publish((*[2]uint64)(&p.records[i&(p.layout.n-1)]), w[0], w[1])
	}
}

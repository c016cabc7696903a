package shm

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/internal/place"
	"github.com/ibperf/ibperf/verbs"
)

// The fast path: requests with one SGE of at most a chunk on a connected QP with nothing
// waiting, which is what benchmarks and most applications post. Whatever is unusual about
// a request is left to the slow path, which has all the checks and their errors.
//
// What a request may do follows from some forty words of both sides: states, keys,
// rights, bounds. They change seldom, and each change is counted in the directory of
// its side before its maker waits until requesters are out. So a requester that finds
// both counts as they were, once its word is odd, may go on by what it found
// then: that is its pass. It looks at them for each request, and for each chunk of a
// longer one.

// pass is what the requester has checked. Guarded by the QP's lock.
type pass struct {
	valid        bool   // the fast path may be taken while nothing changes
	mine, theirs uint64 // counts of changes before the checks
	mineAt       *uint64
	theirsAt     *uint64
	dead         *atomic.Bool // the peer's process

	from   window // this side's memory that was last sent from
	into   window // and last read into
	target window // the peer's memory that was last written to
	source window // and last read from
	lands  window // the peer's memory of the last receive
}

// unchanged tells whether neither side has changed since the counts were taken.
func (p *pass) unchanged() bool {
	return atomic.LoadUint64(p.mineAt) == p.mine && atomic.LoadUint64(p.theirsAt) == p.theirs
}

// holds tells whether the fast path may be taken by what was checked.
func (p *pass) holds() bool { return p.valid && p.unchanged() && !p.dead.Load() }

// current tells whether what was found still counts, for either path.
func (p *pass) current() bool { return p.dead != nil && p.unchanged() && !p.dead.Load() }

// renew forgets what was found before, if something has changed since, and tells whoever
// waits for this requester that it has been out.
func (q *qp) renew() {
	if q.pass.current() {
		return
	}
	q.pass = pass{}
	if p := q.peer; p != nil {
		p.target, p.scatter = lastRegion{}, lastRegion{}
	}
	atomic.AddUint32(&q.entry.turns, 2)
	if r := q.remote.Load(); r != nil {
		q.pass = pass{mineAt: &q.ctx.dir.changes, theirsAt: &r.dir.changes, dead: &r.dead}
		q.pass.mine, q.pass.theirs = atomic.LoadUint64(q.pass.mineAt), atomic.LoadUint64(q.pass.theirsAt)
	}
}

// rush carries out requests as long as it can and returns the first one that it
// leaves. The caller has the lock.
func (q *qp) rush(wr *verbs.SendWR) *verbs.SendWR {
	if wr == nil || !q.pass.holds() && !q.check() {
		return wr
	}
	from, target, inline := &q.pass.from, &q.pass.target, uint64(q.cap.MaxInlineData)
	for room := uint32(q.cap.MaxSendWR) - (q.posted - q.sendDone.Load()); wr != nil && room > 0; room-- {
		if wr.NumSGE != 1 {
			return wr
		}
		s := wr.SGList
		n := uint64(s.Length)
		addr, key := wr.RDMA()
		src, dst := []byte(nil), target.at(key, addr, n)
		if wr.SendFlags&verbs.SendInline == 0 {
			src = from.at(s.LKey, s.Addr, n)
		} else if n <= inline {
			src = memoryAt(s.Addr, s.Length)
		}
		switch {
		case wr.Opcode != verbs.OpRDMAWrite || src == nil || dst == nil || n-1 >= chunk:
			if n-1 >= chunk || !q.carry(wr) {
				return wr
			}
		case n == 8 && place.Word(dst, src):
		default:
			place.Ordered(dst, src)
		}
		q.posted++
		if q.sigAll || wr.SendFlags&verbs.SendSignaled != 0 {
			e := q.sent(q.posted-1, wr.WRID, wr.Opcode, verbs.WCSuccess, n)
			q.sendCQ.push(&e, false)
		}
		if wr = wr.Next; wr != nil && !q.pass.unchanged() && !q.check() {
			return wr
		}
	}
	return wr
}

// check looks whether the fast path may be taken.
func (q *qp) check() bool {
	q.renew()
	q.pass.valid = q.peer != nil && q.typ == verbs.QPTypeRC && q.ctx.dev.place == ascending &&
		verbs.QPState(q.state.Load()) == verbs.QPRTS && q.pendHead == q.pendTail && q.reach() != nil
	return q.pass.valid
}

// carry carries out one request, or does nothing of it and returns false.
func (q *qp) carry(wr *verbs.SendWR) bool {
	s := wr.SGList
	n := uint64(s.Length)
	if wr.Opcode == verbs.OpRDMARead {
		return q.carryRead(wr, s, n)
	}
	if (opsSend|opsWrite)>>wr.Opcode&1 == 0 {
		return false
	}
	var src, dst []byte
	if wr.SendFlags&verbs.SendInline == 0 {
		if src = q.pass.from.at(s.LKey, s.Addr, n); src == nil {
			q.pass.from = q.ctx.window(s.LKey, q.pd, 0)
			src = q.pass.from.at(s.LKey, s.Addr, n)
		}
	} else if n <= uint64(q.cap.MaxInlineData) {
		src = memoryAt(s.Addr, s.Length)
	}
	if src == nil {
		return false
	}
	if opsWrite>>wr.Opcode&1 != 0 {
		addr, key := wr.RDMA()
		if dst = q.pass.target.at(key, addr, n); dst == nil {
			q.pass.target = q.peer.rdma(key, verbs.AccessRemoteWrite)
			dst = q.pass.target.at(key, addr, n)
		}
		if dst == nil {
			return false
		}
	}
	if wr.Opcode == verbs.OpRDMAWrite {
		place.Ordered(dst, src)
		return true
	}
	return q.carryMessage(wr, dst, src)
}

// carryMessage carries out what takes a receive: a SEND goes there, with
// immediate data or without, and a WRITE WITH IMM to dst.
func (q *qp) carryMessage(wr *verbs.SendWR, dst, src []byte) bool {
	p, n := q.peer, uint64(len(src))
	at := p.layout.wqeAt(p.next)
	w := view[recvWQE](p.mem, at)
	if p.sharing || atomic.LoadUint32(&w.seq) != p.next+1 && !p.awaitReceive() {
		return false
	}
	if opsSend>>wr.Opcode&1 != 0 {
		if atomic.LoadUint32(&w.numSGE) != 1 {
			return false
		}
		s := viewSGEs(p.mem, at+wqeHeader, 1)[0]
		if n > uint64(s.Length) {
			return false
		}
		if dst = q.pass.lands.at(s.LKey, s.Addr, uint64(s.Length)); dst == nil {
			q.pass.lands = p.remote.window(&p.scatter, s.LKey, p.recvPD, verbs.AccessLocalWrite)
			dst = q.pass.lands.at(s.LKey, s.Addr, uint64(s.Length))
		}
		if dst == nil {
			return false
		}
	}
	place.Ordered(dst, src)
	w0, w1 := recordOf(wr.Opcode, wr.Imm, n)
	p.store(w0, w1, wr.SendFlags&verbs.SendSolicited != 0)
	p.next++
	return true
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

// carryRead carries out a READ.
func (q *qp) carryRead(wr *verbs.SendWR, s *verbs.SGE, n uint64) bool {
	if wr.SendFlags&verbs.SendInline != 0 || q.attr.MaxRdAtomic == 0 || atomic.LoadUint32(&q.peer.entry.destRdAtom) == 0 {
		return false
	}
	addr, key := wr.RDMA()
	dst, src := q.pass.into.at(s.LKey, s.Addr, n), q.pass.source.at(key, addr, n)
	if dst == nil || src == nil {
		q.pass.into = q.ctx.window(s.LKey, q.pd, verbs.AccessLocalWrite)
		q.pass.source = q.peer.rdma(key, verbs.AccessRemoteRead)
		dst, src = q.pass.into.at(s.LKey, s.Addr, n), q.pass.source.at(key, addr, n)
	}
	if dst == nil || src == nil {
		return false
	}
	place.Ordered(dst, src)
	return true
}

// rdma returns the peer's region that has the key, if region and QP give the right.
func (p *peer) rdma(key uint32, right verbs.Access) window {
	if verbs.Access(atomic.LoadUint32(&p.entry.access))&right == 0 {
		return window{}
	}
	return p.remote.window(&p.target, key, p.pd, right)
}

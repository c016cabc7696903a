package shm

import (
	"sync"
	"sync/atomic"

	"github.com/ibperf/ibperf/internal/memfd"
	"github.com/ibperf/ibperf/verbs"
)

// recvQueue is a receive queue as its owner sees it. What the peer can write is
// only looked at; what counts is kept here.
type recvQueue struct {
	qp      *qp
	file    *memfd.File
	inode   uint64
	layout  recvLayout
	header  *recvHeader
	records []record
	depth   int

	mu     sync.Mutex     // guards posting
	wrids  []uint64       // by slot
	room   []uint64       // bytes of the receives, by slot
	posted relaxedCounter // written under mu
	next   relaxedCounter // next record to look at, written under the CQ's lock
	freed  relaxedCounter // receives whose completion was polled
	closed atomic.Bool    // the peer's records do not count any more

	// Of shared receives, guarded by the lock of the QP's pool, as everything else is then.
	from   []*srq        // by slot
	lent   [][]verbs.SGE // by slot
	served atomic.Uint64 // the last header.want that was looked at
	waits  *srq          // in whose list the QP is
}

func (r *recvQueue) init(q *qp, cap verbs.QPCap) error {
	r.qp, r.depth, r.layout = q, cap.MaxRecvWR, layoutFor(cap.MaxRecvWR, cap.MaxRecvSGE)
	var err error
	if r.file, err = memfd.New("ibperf-receives", r.layout.size()); err != nil {
		return err
	}
	r.header, r.records = view[recvHeader](r.file.Bytes(), 0), viewRecords(r.file.Bytes(), r.layout.n)
	r.wrids, r.room = make([]uint64, r.layout.n), make([]uint64, r.layout.n)
	if q.sharing() {
		r.from, r.lent = make([]*srq, r.layout.n), make([][]verbs.SGE, r.layout.n)
	}
	r.inode, err = inodeOf(r.file.FD())
	return err
}

// reset empties the queue. No peer may be at work in it.
func (r *recvQueue) reset() {
	clear(r.file.Bytes())
	r.posted.Store(0)
	r.next.Store(0)
	r.freed.Store(0)
	r.served.Store(0)
	r.closed.Store(false)
}

// PostRecv puts receives into shared memory, where the peer's requester takes them.
func (q *qp) PostRecv(wr *verbs.RecvWR) (*verbs.RecvWR, error) {
	r := &q.recv
	r.mu.Lock()
	defer r.mu.Unlock()
	for ; wr != nil; wr = wr.Next {
		state := verbs.QPState(q.state.Load())
		switch {
		case q.closed.Load():
			return wr, q.err("post_recv", ebadf, closedText)
		case q.peerType() != q.typ:
			return wr, q.err("post_recv", einval, "an XRC QP has no receives: post to an SRQ of the domain")
		case q.srq != nil:
			return wr, q.err("post_recv", einval, "the QP takes from an SRQ: post to that")
		case state == verbs.QPReset:
			return wr, q.err("post_recv", einval, "QP is in RESET; modify it to INIT first")
		case wr.NumSGE < 0 || int(wr.NumSGE) > q.cap.MaxRecvSGE:
			return wr, q.err("post_recv", einval, "num_sge exceeds max_recv_sge")
		case int(r.posted.Load()-r.freed.Load()) >= r.depth:
			return wr, q.err("post_recv", enomem, "receive queue is full: poll completions first")
		}
		i := r.posted.Load()
		slot := i & (r.layout.n - 1)
		r.wrids[slot], r.room[slot] = wr.WRID, total(sgesOf(wr.SGList, wr.NumSGE))
		r.posted.Store(i + 1) // before a peer can complete it; see poll
		r.write(i, sgesOf(wr.SGList, wr.NumSGE), 0)
		if r.closed.Load() {
			r.next.Store(i + 1)
			e := r.flushed(i)
			q.recvCQ.push(&e, true)
		}
	}
	return nil, nil
}

// write stores receive i; its number, stored last, makes it valid.
func (r *recvQueue) write(i uint32, sges []verbs.SGE, srq uint32) {
	w := r.wqe(i)
	copy(viewSGEs(r.file.Bytes(), r.layout.wqeAt(i)+wqeHeader, uint32(len(sges))), sges)
	w.numSGE, w.srq = uint32(len(sges)), srq
	release(&w.seq, i+1)
}

func (r *recvQueue) wqe(i uint32) *recvWQE { return view[recvWQE](r.file.Bytes(), r.layout.wqeAt(i)) }

// expects tells whether receives are posted. Where there are none, nobody looks at
// the records: of many QPs that receive nothing no page is touched.
func (r *recvQueue) expects() bool { return r.next.Load() != r.posted.Load() }

// ready tells whether the next record is there.
func (r *recvQueue) ready() bool {
	return r.published(r.next.Load()) && !r.closed.Load()
}

// published tells whether record i is there.
func (r *recvQueue) published(i uint32) bool {
	return uint32(atomic.LoadUint64(&r.records[i&(r.layout.n-1)][1])>>recSeqAt) == i+1
}

// poll turns records into completions, under the CQ's lock. ok is false when
// the connection has failed: a record tells so.
func (r *recvQueue) poll(wc []verbs.WC, times []uint64) (n int, ok bool) {
	first := r.next.Load()
	if r.closed.Load() {
		return 0, true
	}
	for ok = true; ok && r.published(first+uint32(n)); n++ {
		i := first + uint32(n)
		if i == r.posted.Load() || r.fault(i) {
			ok = false // a fault, or a record that no receive was posted for
			break
		}
		if n == len(wc) {
			break
		}
		r.complete(i, &wc[n])
		if times != nil {
			times[n] = r.time(i)
		}
		ok = wc[n].Status == verbs.WCSuccess
	}
	if n > 0 {
		r.next.Store(first + uint32(n))
		r.freed.Store(r.freed.Load() + uint32(n))
	}
	return n, ok
}

// failed tells whether the peer ended the connection, in the next record or in
// one behind it that nobody has polled yet.
func (r *recvQueue) failed() bool {
	if r.closed.Load() {
		return false
	}
	i := r.next.Load()
	for range r.layout.n {
		w := atomic.LoadUint64(&r.records[i&(r.layout.n-1)][1])
		if uint32(w>>recSeqAt) != i+1 {
			return false
		}
		if w&recFault != 0 || verbs.WCStatus(w&0xff) != verbs.WCSuccess {
			return true
		}
		i++
	}
	return true // more records than receives
}

func (r *recvQueue) fault(i uint32) bool {
	return atomic.LoadUint64(&r.records[i&(r.layout.n-1)][1])&recFault != 0
}

// complete writes the completion of receive i as its record tells. An
// application may trust byte_len, so a peer's lie about it is an error.
func (r *recvQueue) complete(i uint32, wc *verbs.WC) {
	slot := i & (r.layout.n - 1)
	rec := &r.records[slot]
	w0, w1 := atomic.LoadUint64(&rec[0]), atomic.LoadUint64(&rec[1])
	*wc = verbs.WC{
		WRID: r.wrids[slot], QPNum: r.qp.num, ByteLen: uint32(w0),
		Status: verbs.WCStatus(w1 & 0xff), Opcode: verbs.WCOpcode(w1 >> recOpShift & 0xff),
	}
	legal := wc.Opcode == verbs.WCRecvRDMAWithImm || wc.Opcode == verbs.WCRecv && uint64(wc.ByteLen) <= r.room[slot]
	if wc.Status == verbs.WCSuccess && !legal {
		wc.Status = verbs.WCBadRespErr
		return
	}
	if w1&recWithImm != 0 {
		wc.Flags = verbs.WCWithImm
		wc.Imm = immBytes(uint32(w0 >> 32))
	}
}

func immBytes(v uint32) [4]byte {
	return [4]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}
}

func immWord(b [4]byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func (r *recvQueue) flushed(i uint32) ownWC {
	return r.received(verbs.WC{
		WRID: r.wrids[i&(r.layout.n-1)], QPNum: r.qp.num, Status: verbs.WCWRFlushErr,
	})
}

// flush ends the queue: what the peer completed stays, in order, and every other
// receive completes with WR_FLUSH_ERR. The peer must not be at work any more.
func (r *recvQueue) flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	cq := r.qp.recvCQ
	cq.mu.Lock()
	i := r.next.Load()
	for ; r.ready() && !r.fault(i) && i != r.posted.Load(); i++ {
		e := r.received(verbs.WC{})
		r.complete(i, &e.wc)
		cq.pushLocked(&e, r.time(i))
		r.next.Store(i + 1)
	}
	r.closed.Store(true)
	n := r.posted.Load() - i
	for ; i != r.posted.Load(); i++ {
		e := r.flushed(i)
		cq.pushLocked(&e, 0)
	}
	r.next.Store(i)
	cq.mu.Unlock()
	if n > 0 {
		cq.notify(true)
	}
}

// tellWhy raises an event if the peer ended the connection and no completion tells why.
func (q *qp) tellWhy() {
	q.recvCQ.mu.Lock()
	event, ok := q.recv.blame()
	q.recvCQ.mu.Unlock()
	if ok {
		q.raise(event)
	}
}

// blame returns the event that a fault of the peer's is, if there is one.
func (r *recvQueue) blame() (verbs.EventType, bool) {
	if r.closed.Load() {
		return 0, false
	}
	for i := r.next.Load(); ; i++ {
		w := atomic.LoadUint64(&r.records[i&(r.layout.n-1)][1])
		switch {
		case uint32(w>>recSeqAt) != i+1:
			return 0, false
		case w&recFault != 0 && verbs.WCStatus(w&0xff) == verbs.WCRemAccessErr:
			return verbs.EventQPAccessErr, true
		case w&recFault != 0:
			return verbs.EventQPReqErr, true
		case i == r.posted.Load():
			return verbs.EventQPFatal, true // a record that no receive was posted for
		}
	}
}

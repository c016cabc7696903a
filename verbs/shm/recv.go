package shm

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"syscall"

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

	mu     sync.Mutex     // guards posting
	slots  []recvSlot     // nil if receives are lent
	posted relaxedCounter // written under mu
	next   relaxedCounter // next record to look at, written under the CQ's lock; of UD next receive to fill, under the QP's
	freed  relaxedCounter // receives whose completion was polled
	closed atomic.Bool    // the peer's records do not count any more

	// Of shared receives, guarded by the lock of the QP's pool, as everything else is then.
	lent   []*sharedWR   // by slot; nil if none was lent yet
	served atomic.Uint64 // the last header.want that was looked at
}

// recvSlot is what the owner keeps of a receive.
type recvSlot struct {
	wrid uint64
	room uint64 // bytes
}

func (r *recvQueue) init(q *qp, cap verbs.QPCap) error {
	r.qp, r.layout = q, layoutFor(cap.MaxRecvWR, cap.MaxRecvSGE)
	var err error
	if r.file, err = memfd.New(receivesName, r.layout.size()); err != nil {
		return err
	}
	r.header, r.records = view[recvHeader](r.file.Bytes(), 0), viewRecords(r.file.Bytes(), r.layout.n)
	if !q.sharing() {
		r.slots = make([]recvSlot, r.layout.n)
	}
	if r.inode, err = inodeOf(r.file.FD()); err != nil {
		r.file.Close()
	}
	return err
}

const receivesName = "ibperf-receives"

// renew gives the queue other memory, as a peer may be at work in what it has: what that does
// there when it goes on, nobody sees.
func (r *recvQueue) renew() error {
	if err := r.file.Renew(receivesName); err != nil {
		return err
	}
	inode, err := inodeOf(r.file.FD())
	if err == nil {
		r.inode = inode
	}
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
	defer func() { release(&r.header.posted, r.posted.Load()) }()
	for ; wr != nil; wr = wr.Next {
		if errno, why := q.refuseReceive(wr); errno != 0 {
			return wr, q.err("post_recv", errno, why)
		}
		r.put(wr)
	}
	return nil, nil
}

// refuseReceive tells why the QP does not take the receive.
func (q *qp) refuseReceive(wr *verbs.RecvWR) (syscall.Errno, string) {
	switch r := &q.recv; {
	case q.closed.Load():
		return ebadf, closedText
	case q.peerType() != q.typ:
		return einval, "an XRC QP has no receives: post to an SRQ of the domain"
	case q.srq != nil:
		return einval, "the QP takes from an SRQ: post to that"
	case verbs.QPState(q.state.Load()) == verbs.QPReset:
		return einval, "QP is in RESET; modify it to INIT first"
	case wrongList(wr.SGList, wr.NumSGE, q.cap.MaxRecvSGE):
		return einval, listText(wr.NumSGE, q.cap.MaxRecvSGE, "max_recv_sge")
	case int(r.posted.Load()-r.freed.Load()) >= q.cap.MaxRecvWR:
		return enomem, "receive queue is full: poll completions first"
	}
	return 0, ""
}

// put stores the next receive. The peer takes it once it is counted in the header.
func (r *recvQueue) put(wr *verbs.RecvWR) {
	i, sges := r.posted.Load(), sgesOf(wr.SGList, wr.NumSGE)
	*r.slot(i) = recvSlot{wr.WRID, total(sges)}
	r.write(i, sges)
	r.posted.Store(i + 1) // before a peer can complete it; see poll
	if r.closed.Load() {
		r.flush()
	}
}

// write stores the SGEs of receive i, unless they are there from the last lap: what is not
// stored stays in the peer's cache.
func (r *recvQueue) write(i uint32, sges []verbs.SGE) {
	w, n := r.wqe(i), uint32(len(sges))
	if n > 0 {
		if first := view[verbs.SGE](r.file.Bytes(), r.layout.firstAt(i)); *first != sges[0] {
			*first = sges[0]
		}
	}
	if n > 1 {
		copy(viewSGEs(r.file.Bytes(), r.layout.sgesAt(i), n-1), sges[1:])
	}
	if w.numSGE != n {
		w.numSGE = n
	}
}

func (r *recvQueue) wqe(i uint32) *recvWQE { return view[recvWQE](r.file.Bytes(), r.layout.wqeAt(i)) }

// ready tells whether the next record is there. Where no receives are posted, nobody looks at
// the records: of many QPs that receive nothing no page is touched.
func (r *recvQueue) ready() bool {
	i := r.next.Load()
	if i == r.posted.Load() {
		return false
	}
	_, there := r.record(i)
	return there && !r.closed.Load()
}

// record returns the second word of record i, and whether the peer has published it.
func (r *recvQueue) record(i uint32) (w1 uint64, there bool) {
	w1 = atomic.LoadUint64(&r.records[i&(r.layout.n-1)][1])
	return w1, uint32(w1>>recSeqAt) == i+1
}

// poll turns records into completions, under the CQ's lock. ok is false when
// the connection has failed: a record tells so.
func (r *recvQueue) poll(wc []verbs.WC, times []uint64) (n int, ok bool) {
	if r.closed.Load() {
		return 0, true
	}
	first := r.next.Load()
	for ok = true; ok; n++ {
		i := first + uint32(n)
		w1, there := r.record(i)
		if !there {
			break
		}
		ok = w1&recFault == 0 && i != r.posted.Load() // a record that no receive was posted for
		if !ok || n == len(wc) {
			break
		}
		ok = r.complete(i, w1, r.slot(i), &wc[n])
		if times != nil {
			times[n] = r.time(i)
		}
	}
	if n > 0 {
		r.next.Store(first + uint32(n))
		r.freed.Store(r.freed.Load() + uint32(n))
	}
	return n, ok
}

// ended tells whether the peer has ended the connection, in the next record or in one behind it
// that nobody has polled yet, and by which event the owner learns why: noEvent if a completion tells.
func (r *recvQueue) ended() (why verbs.EventType, ended bool) {
	for i := r.next.Load(); !r.closed.Load(); i++ {
		w1, there := r.record(i)
		status := verbs.WCStatus(w1 & 0xff)
		switch {
		case !there:
			return why, ended
		case w1&recFault != 0 && status == verbs.WCRemAccessErr:
			return verbs.EventQPAccessErr, true
		case w1&recFault != 0:
			return verbs.EventQPReqErr, true
		case i == r.posted.Load():
			return verbs.EventQPFatal, true // a record that no receive was posted for
		case status != verbs.WCSuccess:
			why, ended = noEvent, true
		}
	}
	return noEvent, false
}

const noEvent = ^verbs.EventType(0)

func (r *recvQueue) slot(i uint32) *recvSlot { return &r.slots[i&(r.layout.n-1)] }

// complete writes the completion of receive i as its record tells, whose second word is w1, and
// tells whether it succeeded. An application may trust byte_len, so a peer's lie about it is an error.
func (r *recvQueue) complete(i uint32, w1 uint64, at *recvSlot, wc *verbs.WC) bool {
	w0 := atomic.LoadUint64(&r.records[i&(r.layout.n-1)][0])
	*wc = verbs.WC{} // then each member by itself: a value that is made whole is copied here in larger pieces than it was made of
	wc.WRID, wc.QPNum, wc.ByteLen = at.wrid, r.qp.num, uint32(w0)
	wc.Status, wc.Opcode = verbs.WCStatus(w1&0xff), verbs.WCOpcode(w1>>recOpShift&0xff)
	legal := wc.Opcode == verbs.WCRecvRDMAWithImm || wc.Opcode == verbs.WCRecv && uint64(wc.ByteLen) <= at.room
	if wc.Status == verbs.WCSuccess && !legal {
		wc.Status = verbs.WCBadRespErr
		return false
	}
	binary.LittleEndian.PutUint32(wc.Imm[:], uint32(w0>>32))
	if w1&recWithImm != 0 {
		wc.Flags = verbs.WCWithImm
	} else if w1&recWithInv != 0 {
		wc.Flags = verbs.WCWithInv
		r.qp.invalidate(wc.InvalidatedRKey())
	}
	return wc.Status == verbs.WCSuccess
}

func immWord(b [4]byte) uint32 { return binary.LittleEndian.Uint32(b[:]) }

// flush ends the queue: what the peer completed stays, in order, and every other
// receive completes with WR_FLUSH_ERR. It is called under mu, and the peer must not be at work any more.
func (r *recvQueue) flush() {
	cq := r.qp.recvCQ
	cq.mu.Lock()
	i := r.next.Load()
	for ; i != r.posted.Load(); i++ {
		e := ownWC{places: &r.freed, wc: verbs.WC{WRID: r.slot(i).wrid, QPNum: r.qp.num, Status: verbs.WCWRFlushErr}}
		if w1, there := r.record(i); !there || w1&recFault != 0 {
			r.closed.Store(true)
		} else if !r.closed.Load() {
			r.complete(i, w1, r.slot(i), &e.wc)
		}
		cq.pushLocked(&e, r.time(i))
	}
	r.next.Store(i)
	flushed := r.closed.Swap(true)
	cq.mu.Unlock()
	if flushed {
		cq.notify(true)
	}
}

// tellWhy raises an event if the peer ended the connection and no completion tells why.
func (q *qp) tellWhy() {
	q.recvCQ.mu.Lock()
	why, ended := q.recv.ended()
	q.recvCQ.mu.Unlock()
	if ended && why != noEvent {
		q.raise(why)
	}
}

package shm

import (
	"math"
	"sync/atomic"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/memfd"
	"github.com/ibperf/ibperf/verbs/shm/internal/lockorder"
	"github.com/ibperf/ibperf/verbs/shm/internal/ring"
)

// recvQueue is a receive queue as its owner sees it. The owner reads what the peer can write, but
// keeps its own counters and wr_ids here.
type recvQueue struct {
	qp      *qp
	file    *memfd.File
	inode   uint64
	layout  recvLayout
	header  *recvHeader
	records []record

	mu     lockorder.Mutex[lockorder.Receives] // guards posting
	slots  []recvSlot                          // nil with SRQs
	posted relaxedCounter                      // written under mu
	next   relaxedCounter                      // next record to poll, written under the CQ's lock; UD: next receive to fill, written under the QP's lock
	freed  relaxedCounter                      // receives whose completions were polled
	closed atomic.Bool                         // later records of the peer are ignored

	// For CQs of many QPs, guarded by the lock of the CQ.
	namedTo       *names // of the receive CQ, if the peer names this queue when asked
	namedAt       int    // index in namedTo.queues
	listed        bool
	before, after *recvQueue // in the list of queues that may have work

	// For receives of SRQs, guarded by the pool's lock, which then guards the fields above too.
	supplied      []*srqWR      // by slot; nil before the first receive is supplied
	servedRequest atomic.Uint64 // the last header.srqRequest that was handled
}

// recvSlot holds the owner's private part of a receive.
type recvSlot struct {
	wrid   uint64
	length uint64 // bytes
}

func (r *recvQueue) init(q *qp, cap verbs.QPCap) error {
	r.qp, r.layout = q, layoutFor(cap.MaxRecvWR, cap.MaxRecvSGE)
	var err error
	if r.file, err = memfd.New(receivesName, r.layout.size()); err != nil {
		return err
	}
	r.header, r.records = view[recvHeader](r.file.Bytes(), 0), viewRecords(r.file.Bytes(), r.layout.n)
	if !q.usesSRQ() {
		r.slots = make([]recvSlot, r.layout.n)
		r.markUnused()
	}
	if r.inode, err = inodeOf(r.file.FD()); err != nil {
		r.file.Close()
	}
	return err
}

const receivesName = "ibperf-receives"

// replaceMemory gives the queue new memory, since a peer may still use the old memory. What that
// peer stores there is never read.
func (r *recvQueue) replaceMemory() error {
	if err := r.file.Renew(receivesName); err != nil {
		return err
	}
	inode, err := inodeOf(r.file.FD())
	if err == nil {
		r.inode = inode
	}
	return err
}

// reset empties the queue. No peer may be using it. Receives without a record that were posted before are overwritten by later
// ones before a peer finds them.
func (r *recvQueue) reset() {
	clear(r.file.Bytes()[:headerSize])
	clear(r.records[:r.used()])
	r.markUnused()
	r.posted.Store(0)
	r.next.Store(0)
	r.freed.Store(0)
	r.servedRequest.Store(0)
	r.closed.Store(false)
}

// unusedLength is the length of the last slot until it has had a receive, which no SG list has.
const unusedLength = math.MaxUint64

// markUnused notes that the last slot has had no receive.
func (r *recvQueue) markUnused() {
	last := r.layout.n - 1
	if r.slots != nil {
		r.slots[last].length = unusedLength
	}
	if r.supplied != nil {
		r.supplied[last] = nil
	}
}

// used returns the number of slots, from the first one on, that may have a record: those of all posted receives and one for a
// fault record. The number of posted receives wraps, but not before the last slot has had one.
func (r *recvQueue) used() uint32 {
	last := r.layout.n - 1
	if r.slots != nil && r.slots[last].length != unusedLength || r.supplied != nil && r.supplied[last] != nil {
		return r.layout.n
	}
	return min(r.posted.Load(), last) + 1
}

// PostRecv stores receives in shared memory, where the peer's requester finds them.
func (q *qp) PostRecv(wr *verbs.RecvWR) (*verbs.RecvWR, error) {
	r := &q.recv
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { ring.Post(&r.header.posted, r.posted.Load()) }()
	for ; wr != nil; wr = wr.Next {
		if errno, why := q.checkReceive(wr); errno != 0 {
			return wr, q.err("post_recv", errno, why)
		}
		r.post(wr)
	}
	return nil, nil
}

// checkReceive returns an error for a receive that the QP cannot take.
func (q *qp) checkReceive(wr *verbs.RecvWR) (syscall.Errno, string) {
	switch r := &q.recv; {
	case q.closed.Load():
		return ebadf, closedText
	case q.peerType() != q.typ:
		return einval, "an XRC QP has no receive queue: post to an SRQ of the domain"
	case q.srq != nil:
		return einval, "the QP uses an SRQ: post to the SRQ"
	case verbs.QPState(q.state.Load()) == verbs.QPReset:
		return einval, "QP is in RESET; modify it to INIT first"
	case badSGList(wr.SGList, wr.NumSGE, q.cap.MaxRecvSGE):
		return einval, sgListError(wr.NumSGE, q.cap.MaxRecvSGE, "max_recv_sge")
	case int(r.posted.Load()-r.freed.Load()) >= q.cap.MaxRecvWR:
		return enomem, "receive queue is full: poll completions first"
	}
	return 0, ""
}

// post stores the next receive. The peer may consume it when the header's count includes it.
func (r *recvQueue) post(wr *verbs.RecvWR) {
	i, sges := r.posted.Load(), sgesOf(wr.SGList, wr.NumSGE)
	*r.slot(i) = recvSlot{wr.WRID, totalLength(sges)}
	r.write(i, sges)
	r.posted.Store(i + 1) // before a peer can complete it; see poll
	if r.closed.Load() {
		r.flush()
	}
}

// write stores the SGEs of receive i, unless the slot has the same SGEs already: a line that is not
// written stays in the peer's cache.
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

func (r *recvQueue) slot(i uint32) *recvSlot { return &r.slots[i&(r.layout.n-1)] }

package shm

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/quiesce"
	"github.com/ibperf/ibperf/verbs/shm/internal/ring"
)

// directory is the memory in which a context describes its objects to peers. Peers map it
// read-only. The owner writes it and never reads a value back to rely on it. Readers load each
// field atomically, once, and check it.
type directory struct {
	id      uint64 // the context's id
	_       [7]uint64
	changes uint64 // counts deregistrations, changes of QPs and lost peers; see requesterCache.valid
	_       [7]uint64

	mrs [maxMR]mrEntry
	qps [maxQP]qpEntry

	srqs [maxSRQ]srqEntry
	cqs  [maxCQ]cqEntry

	mapped [mappedBits / 64]uint64 // memory of peers that this context has mapped; see noteMapped

	arrivals [arrivalRings]arrivalRing // QPs of peers that have new records of this context
	asks     [arrivalRings][8]uint64   // in the first word, number of CQs that ask for such names
}

// change counts a change. After it, awaitQuiescence waits until no requester relies on earlier
// values.
func (d *directory) change() { quiesce.Announce(&d.changes) }

// mrEntry describes a memory region or window to peers' requesters (64 bytes). The owner clears key
// first and sets it last.
type mrEntry struct {
	key        uint32 // 0: free
	access     uint32
	pd         uint32
	fd         uint32 // of the memfd that holds the memory; see peerContext.open
	addr       uint64 // address of the first byte in work requests
	length     uint64
	offset     uint64 // of addr within the memfd
	inode      uint64 // of the memfd
	bindSerial uint64 // windows of type 2: identifies the bind
	boundBy    uint32 // windows of type 2: the QP that bound the window, the only one that accepts it; else 0
	_          uint32
}

// qpEntry describes a QP to its peer, in three cache lines: one that changes with the QP's state,
// one for the word that its requester changes, and one that locates its receive queue.
type qpEntry struct {
	num         uint32 // 0: free
	state       uint32
	epoch       uint32 // counts the moves to RTR
	pd          uint32
	access      uint32
	destNum     uint32
	rqPSN       uint32
	minRNRTimer uint32
	destID      uint64 // id of the context that the QP is connected to
	destRdAtom  uint32
	typ         uint32 // verbs.QPType; written before num
	usesSRQ     uint32 // 1: receives come from SRQs; written before num
	recvPD      uint32 // PD of the receives' memory; written before num
	xrcd        uint32 // XRC_RECV: the QP's domain; written before num
	stamps      uint32 // verbs.Timestamps of the receive CQ; written before num

	requesterSeq uint32 // odd while the QP's requester executes; see qp.lock
	_            [15]uint32

	// The receive queue. Written before num; fd and inode again when the queue gets new memory.
	slots    uint32
	maxSGE   uint32
	fd       uint32 // of its memfd; see peerContext.open
	cq       uint32 // the receive CQ, if it has a channel; else 0
	inode    uint64 // of the memfd
	arrivals uint32 // number of asks, and of the ring in which the peer names this QP, or 0; changes before epoch
	_        uint32
	_        [4]uint64
}

// srqEntry describes an SRQ to the peers of an XRC domain.
type srqEntry struct {
	num    uint32 // 0: free; set last
	xrcd   uint32 // 0: not an XRC SRQ
	pd     uint32 // PD of the memory that messages and requests may use
	cq     uint32 // the CQ of an XRC SRQ, if it has a channel; else 0
	stamps uint32 // verbs.Timestamps of that CQ
	_      [3]uint32
}

// cqEntry holds the arm state of a CQ with a channel; see notifier.
type cqEntry struct {
	armed uint64
	inode uint64 // of the channel's pipe
	fd    uint32 // of the pipe; see peerContext.open
	_     [11]uint32
}

// recvHeader begins a QP's receive queue, a memfd of its own that is shared with
// the peer. The owner posts receives; the peer's requester consumes them in order
// and publishes one record for each:
//
//	0        128         128+16n      128+32n        128+40n   128+48n
//	+--------+-----------+------------+--------------+---------+---------------------+
//	| header | n records | n first    | n WQEs       | n times | n lists of the SGEs |
//	|        |           | SGEs       |              |         | that follow         |
//	+--------+-----------+------------+--------------+---------+---------------------+
//
// n is a power of two above the queue's depth, so that there is always room for
// the fault record, which consumes no receive. The times are the records' time
// stamps, if the CQ has them.
type recvHeader struct {
	requester  uint64 // the QP whose requester has begun to use this connection, or 0
	srqRequest uint64 // request for a receive of an SRQ, or 0; see srqRequestFor
	srqEmpty   uint64 // the last srqRequest for which the SRQ was empty
	_          [5]uint64
	posted     uint32 // receives posted by the owner; unused with SRQs
	_          uint32
	supplied   uint64 // upper half: receives supplied by the owner; lower half: receives claimed by the requester
	_          [6]uint64
}

const headerSize = 128

// record is the completion of one receive, which the peer's requester publishes. Word 0 holds
// byte_len and the immediate data. Word 1 holds status, opcode and flags.
type record = ring.Record

const (
	recordSize  = 16
	lineRecords = 4 // records in a cache line
)

// Bits of a record's second word.
const (
	recWithImm = 1 << 16 // the immediate data is valid
	recFault   = 1 << 17 // fault record: consumes no receive; the connection has failed
	recWithInv = 1 << 18 // word 0 has the invalidated rkey in place of immediate data
	recOpShift = 8       // completion opcode; the status is in bits 0-7
)

// recvWQE holds the rest of a posted receive after its SGEs. It rarely changes from one pass over
// the ring to the next.
type recvWQE struct {
	numSGE uint32
	srq    uint32 // the SRQ that the receive was supplied from; else 0
}

const (
	sgeSize  = 16
	wqeSize  = 8
	timeSize = 8
)

// recvLayout computes the layout of a receive queue's memory.
type recvLayout struct {
	n      uint32 // slots, a power of two
	maxSGE uint32
}

func layoutFor(depth, sge int) recvLayout {
	return recvLayout{n: uint32(ringSize(depth + 1)), maxSGE: uint32(max(sge, 1))}
}

// valid reports whether a layout from a peer's directory can be used.
func (l recvLayout) valid() bool {
	return l.n > 0 && l.n <= 2*maxWR && l.n&(l.n-1) == 0 && l.maxSGE > 0 && l.maxSGE <= maxSGE
}

func (l recvLayout) size() int { return l.sgesAt(0) + int(l.n)*int(l.maxSGE-1)*sgeSize }

// at returns the offset of receive i's item in an array. The arrays before it take a number of
// bytes for each receive.
func (l recvLayout) at(i uint32, before, size int) int {
	return headerSize + int(l.n)*before + int(i&(l.n-1))*size
}

func (l recvLayout) firstAt(i uint32) int { return l.at(i, recordSize, sgeSize) }
func (l recvLayout) wqeAt(i uint32) int   { return l.at(i, recordSize+sgeSize, wqeSize) }
func (l recvLayout) timeAt(i uint32) int  { return l.at(i, recordSize+sgeSize+wqeSize, timeSize) }
func (l recvLayout) sgesAt(i uint32) int {
	return l.at(i, recordSize+sgeSize+wqeSize+timeSize, int(l.maxSGE-1)*sgeSize)
}

// receive returns a copy of the SGEs of receive i, since the other side may change them at any
// time.
func (l recvLayout) receive(mem []byte, i uint32, into *[maxSGE]verbs.SGE) []verbs.SGE {
	n := min(atomic.LoadUint32(&view[recvWQE](mem, l.wqeAt(i)).numSGE), l.maxSGE)
	if into[0] = *view[verbs.SGE](mem, l.firstAt(i)); n > 1 {
		copy(into[1:n], viewSGEs(mem, l.sgesAt(i), n-1))
	}
	return into[:n]
}

// keyIndex returns the index of a key's region in the tables. The low byte of the key changes with
// each use of the slot, so that a stale key matches no region.
func keyIndex(key uint32) uint32 { return key >> 8 }

// numIndex returns the index of a QP in the tables.
func numIndex(num uint32) uint32 { return num % maxQP }

// receives reports whether a QP in the state executes incoming requests.
func receives(s verbs.QPState) bool {
	return s == verbs.QPRTR || s == verbs.QPRTS || s == verbs.QPSQD || s == verbs.QPSQE
}

package shm

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// What a context shows its peers, read-only for them: the directory. Its owner
// writes it and never reads back what it relies on. Every field is accessed
// atomically by readers; a reader takes each value once and checks it.
type directory struct {
	id      uint64 // of the context
	_       [7]uint64
	changes uint64 // how often a region ended, a QP changed or a peer was lost; see known.current
	_       [7]uint64

	mrs [maxMR]mrEntry
	qps [maxQP]qpEntry

	srqs [maxSRQ]srqEntry
	cqs  [maxCQ]cqEntry
}

// change counts a change. Whoever waits then until requesters are out knows that
// none of them goes on by what was there before.
func (d *directory) change() { atomic.AddUint64(&d.changes, 1) }

// mrEntry describes a memory region to the requesters of peers (64 bytes).
// The owner clears key first and sets it last.
type mrEntry struct {
	key    uint32 // 0: free
	access uint32
	pd     uint32
	fd     uint32 // of the memfd that holds the memory; see remote.open
	addr   uint64 // as named by work requests
	length uint64
	offset uint64 // of addr within the memfd
	inode  uint64 // of the memfd
	serial uint64 // of windows of type 2: which bind it is
	by     uint32 // of windows of type 2: the QP that bound it, through which alone it works; else 0
	_      uint32
}

// qpEntry describes a QP to its peer: one line that changes with the QP's state, one for
// the word that the owner changes when it begins and ends to execute work in the peer, and
// one that tells of its receive queue.
type qpEntry struct {
	num         uint32 // 0: free
	state       uint32
	epoch       uint32 // counts the moves to RTR
	pd          uint32
	access      uint32
	destNum     uint32
	rqPSN       uint32
	minRNRTimer uint32
	destID      uint64 // context that it is connected to
	destRdAtom  uint32
	typ         uint32 // verbs.QPType; written before num
	sharing     uint32 // 1: receives are lent; written before num
	recvPD      uint32 // of the receives' memory; written before num
	xrcd        uint32 // of XRC_RECV: its domain; written before num
	stamps      uint32 // verbs.Timestamps of the receives' CQ; written before num

	turns uint32 // odd: the owner's requester is at work in the peer's memory; see lock
	_     [15]uint32

	// Of the receive queue; written before num, and fd and inode once more if it gets other memory.
	slots  uint32
	maxSGE uint32
	fd     uint32 // of its memfd; see remote.open
	cq     uint32 // that its completions go to, if that has a channel; else 0
	inode  uint64 // of the memfd
	_      [5]uint64
}

// srqEntry tells the peers of an XRC domain of a shared receive queue.
type srqEntry struct {
	num    uint32 // 0: free; set last
	xrcd   uint32 // 0: not for XRC
	pd     uint32 // of the memory that its messages and requests may name
	cq     uint32 // that its completions go to, if that has a channel; else 0
	stamps uint32 // verbs.Timestamps of that CQ
	_      [3]uint32
}

// cqEntry tells the peers of a CQ with a channel whether it is armed; see notifier.
type cqEntry struct {
	armed uint64
	inode uint64 // of the channel's pipe
	fd    uint32 // of the pipe; see remote.open
	_     [11]uint32
}

// A QP's receive queue lies in a memfd of its own, shared with the peer it is
// connected to. The owner posts receives, the peer's requester takes them in
// order and publishes one record for each:
//
//	0        128         128+16n      128+32n        128+40n   128+48n
//	+--------+-----------+------------+--------------+---------+---------------------+
//	| header | n records | n first    | n WQEs       | n times | n lists of the SGEs |
//	|        |           | SGEs       |              |         | that follow         |
//	+--------+-----------+------------+--------------+---------+---------------------+
//
// n is a power of two above the queue's depth, so that there is always room for
// one record that takes no receive: the fault record. The times are those of the
// records, if the CQ has timestamps.
type recvHeader struct {
	session uint64 // 0, or the requester that has begun to use this connection
	want    uint64 // the shared receive that the requester asks for, or 0; see wantOf
	none    uint64 // the last want that the owner had no receive for
	_       [5]uint64
	posted  uint32 // receives that the owner has posted, if it lends none
	_       uint32
	lent    uint64 // receives that it has lent, and in the lower half those that the requester has taken
	_       [6]uint64
}

const headerSize = 128

// record is one completion: word 0 holds byte_len and imm, word 1 status,
// opcode, flags and, in the upper half, the number of the receive plus one,
// whose arrival publishes the record.
type record [2]uint64

const (
	recordSize  = 16
	lineRecords = 4 // in a cache line
)

// Bits of a record's second word.
const (
	recWithImm = 1 << 16 // imm is valid
	recFault   = 1 << 17 // no receive was taken: the connection has failed
	recWithInv = 1 << 18 // in place of imm there is the rkey that the message makes invalid
	recOpShift = 8       // completion opcode; bits 0-7 are the status
	recSeqAt   = 32
)

// recvWQE is what a posted receive has besides its SGEs, and mostly what it had in the last lap.
type recvWQE struct {
	numSGE uint32
	srq    uint32 // that it is lent from, if it is
}

const (
	sgeSize  = 16
	wqeSize  = 8
	timeSize = 8
)

// recvLayout is the geometry of a receive queue's memory.
type recvLayout struct {
	n      uint32 // slots, a power of two
	maxSGE uint32
}

func layoutFor(depth, sge int) recvLayout {
	return recvLayout{n: uint32(ringSize(depth + 1)), maxSGE: uint32(max(sge, 1))}
}

// valid tells whether a layout that a peer named can be used.
func (l recvLayout) valid() bool {
	return l.n > 0 && l.n <= 2*maxWR && l.n&(l.n-1) == 0 && l.maxSGE > 0 && l.maxSGE <= maxSGE
}

func (l recvLayout) size() int { return l.sgesAt(0) + int(l.n)*int(l.maxSGE-1)*sgeSize }

// at is where the item of receive i is, of an array of items behind others that have so many
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

// receive copies the SGEs of receive i, since the other side may change them at any time.
func (l recvLayout) receive(mem []byte, i uint32, into *[maxSGE]verbs.SGE) []verbs.SGE {
	n := min(atomic.LoadUint32(&view[recvWQE](mem, l.wqeAt(i)).numSGE), l.maxSGE)
	if into[0] = *view[verbs.SGE](mem, l.firstAt(i)); n > 1 {
		copy(into[1:n], viewSGEs(mem, l.sgesAt(i), n-1))
	}
	return into[:n]
}

// keyIndex is where a key's region stands in the tables; the low byte varies
// with each use of the place, so that an old key finds a different one.
func keyIndex(key uint32) uint32 { return key >> 8 }

// numIndex is where a QP stands in the tables.
func numIndex(num uint32) uint32 { return num % maxQP }

// receives tells whether a QP in the state executes incoming requests.
func receives(s verbs.QPState) bool {
	return s == verbs.QPRTR || s == verbs.QPRTS || s == verbs.QPSQD || s == verbs.QPSQE
}

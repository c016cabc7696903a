package shm

import (
	"slices"
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs/internal/store"
)

// A CQ of many QPs whose polls find few records asks its peers for names: a requester that has published a record then also names the
// QP in a ring of its own directory, and the CQ reads that ring in place of all receive queues. So a poll costs the same for thousands
// of idle QPs. While polls find many records the CQ does not ask: to read a name for each message, from a line that the peer is about
// to write again, takes longer than to look at the queues.
//
// A word in the CQ's directory asks. Requesters that are executing may have read it before, so the CQ goes on looking at all queues
// until each of them has left once, and for one poll more.
//
// There are several rings and words, so that CQs mostly have different ones. If they do not, a CQ also reads names of QPs that are not
// its own, and ignores them.

const (
	arrivalRings = 64
	arrivalSlots = 256 // a power of two
	maxPolled    = 64  // QPs of a CQ up to which it never asks: to look at them takes no longer than to read a name
)

// arrivalRing holds the numbers of QPs that have new records: entry i is in slot i modulo arrivalSlots, with i+1 in its upper half.
type arrivalRing [arrivalSlots]uint64

// arrivals is a ring as its requesters see it.
type arrivals struct {
	mu   spinLock
	ring *arrivalRing
	next uint32 // number of the next entry; guarded by mu
}

// add names a QP whose new records are published.
func (a *arrivals) add(num uint32) {
	a.mu.Lock()
	i := a.next
	a.next++
	store.Release64(&a.ring[i%arrivalSlots], uint64(i+1)<<32|uint64(num))
	a.mu.Unlock()
}

// arrivalReader is a ring as a CQ of the peer sees it. The CQ's lock guards it.
type arrivalReader struct {
	peer *peerContext // of which QPs of the CQ have a reference, so that its directory stays mapped
	ring *arrivalRing
	next uint32 // number of the next entry
	qps  int    // of the CQ that are connected to the peer
}

// newArrivalReader returns a reader that begins with the entries that the ring still has.
func newArrivalReader(peer *peerContext, number uint32) *arrivalReader {
	r := &arrivalReader{peer: peer, ring: &peer.dir.arrivals[number-1]}
	if first := uint32(atomic.LoadUint64(&r.ring[0]) >> 32); first != 0 {
		r.next = first - 1
	}
	return r
}

// read returns the number of the QP of the next entry, if there is one. lost reports that entries were overwritten before they were
// read; the next read goes on with later ones.
func (r *arrivalReader) read() (num uint32, found, lost bool) {
	entry := atomic.LoadUint64(&r.ring[r.next%arrivalSlots])
	switch at := uint32(entry >> 32); {
	case at == r.next+1:
		r.next++
		return uint32(entry), true, false
	case at == r.next+1-arrivalSlots, at == 0 && r.next < arrivalSlots:
		return 0, false, false
	default:
		r.next = at - 1
		return 0, false, true
	}
}

// askState says whether a CQ asks its peers for names.
type askState int

const (
	notAsked askState = iota
	justAsked
	asked
)

// names are the receive queues of a CQ whose peers name them if they are asked to. The CQ's lock guards them.
type names struct {
	queues  []*recvQueue
	readers []*arrivalReader // of the peers
	next    int              // index of the queue at which the next look begins
	list    queueList
	state   askState
	credit  int               // rises with each record, and falls with each look at a queue or read of the rings
	leaving []activeRequester // that may not know yet that they are asked
}

// add adds a queue of a QP that is about to be connected to the peer.
func (m *names) add(p *recvQueue, q *cq, peer *peerContext, number uint32) {
	p.namedTo, p.namedAt = q, len(m.queues)
	m.queues = append(m.queues, p)
	m.leaving = slices.Grow(m.leaving, len(m.queues)-len(m.leaving)) // ask does not allocate
	i := slices.IndexFunc(m.readers, func(x *arrivalReader) bool { return x.peer == peer })
	if i < 0 {
		i, m.readers = len(m.readers), append(m.readers, newArrivalReader(peer, number))
	}
	m.readers[i].qps++
}

// remove removes a queue.
func (m *names) remove(p *recvQueue, peer *peerContext) {
	end := len(m.queues) - 1
	last := m.queues[end]
	last.namedAt, m.queues[p.namedAt] = p.namedAt, last
	m.queues[end] = nil
	m.queues, p.namedTo = m.queues[:end], nil
	m.readers = slices.DeleteFunc(m.readers, func(x *arrivalReader) bool {
		if x.peer == peer {
			x.qps--
		}
		return x.qps == 0
	})
}

// arrivalNumber returns the number of the CQ's word, and of its ring in the directories of its peers.
func (q *cq) arrivalNumber() uint32 {
	return uint32((q.ctx.id^uint64(q.id))*0x9e3779b97f4a7c15>>32)%arrivalRings + 1
}

func (q *cq) askWord() *uint64 { return &q.ctx.dir.asks[q.arrivalNumber()-1][0] }

// ask asks the peers for names.
func (q *cq) ask() {
	m := &q.receivers.names
	atomic.AddUint64(q.askWord(), 1)
	m.state, m.leaving = justAsked, m.leaving[:0]
	for _, p := range m.queues {
		m.leaving = p.qp.appendPeerRequester(m.leaving)
	}
}

func (q *cq) stopAsking() {
	if m := &q.receivers.names; m.state != notAsked {
		atomic.AddUint64(q.askWord(), ^uint64(0))
		m.state, m.credit = notAsked, maxCredit
	}
}

// allKnow reports whether all requesters have left that may not have known that they are asked.
func (m *names) allKnow() bool {
	for len(m.leaving) > 0 && m.leaving[len(m.leaving)-1].hasLeft() {
		m.leaving = m.leaving[:len(m.leaving)-1]
	}
	return len(m.leaving) == 0
}

// listMore lists queues that have records, at most the number if it looks at all, and reports whether there are any.
func (q *cq) listMore(most int) bool {
	m := &q.receivers.names
	if m.state == asked {
		if m.credit--; m.credit > 0 {
			q.stopAsking()
		}
		q.listNamed()
		return m.list.hasRecord()
	}
	know := m.state == justAsked && m.allKnow()
	found := m.look(most)
	switch {
	case know && found == 0:
		m.state, m.credit = asked, leastCredit
	case m.state == notAsked && m.credit < 0:
		q.ask()
	}
	return found > 0
}

// look lists those queues that have records, and returns their number. It ends when that is most.
func (m *names) look(most int) (found int) {
	looks := 0
	for ; looks < len(m.queues) && found < most; looks++ {
		if m.next++; m.next >= len(m.queues) {
			m.next = 0
		}
		if p := m.queues[m.next]; p.ready() {
			m.list.add(p)
			found++
		}
	}
	m.credit -= looks
	return found
}

const (
	maxCredit      = 4096 // looks without a record after which the CQ asks
	looksPerRecord = 64   // while it does not ask; below it names take less time
	leastCredit    = -4096
	readsPerRecord = 12 // while it asks; below it looks take less time
)

// countRecords counts records that were polled.
func (m *names) countRecords(n int) {
	if m.state == asked {
		n *= readsPerRecord
	} else {
		n *= looksPerRecord
	}
	m.credit = min(max(m.credit, leastCredit)+n, maxCredit)
}

// listNamed lists the receive queues that peers have named since, and all of a peer of which names were overwritten.
func (q *cq) listNamed() {
	m := &q.receivers.names
	for _, from := range m.readers {
		for range arrivalSlots {
			num, found, lost := from.read()
			if lost {
				m.listAll(from.peer)
			}
			if !found {
				break
			}
			if p := q.ctx.qps.slot(num).Load(); p != nil && p.recv.namedTo == q {
				m.list.add(&p.recv)
			}
		}
	}
}

// listAll lists the receive queues that the peer names.
func (m *names) listAll(peer *peerContext) {
	for _, p := range m.queues {
		if p.qp.peerCtx.Load() == peer {
			m.list.add(p)
		}
	}
}

// listLost lists the receive queues of a peer that is gone, which may not have named the last one.
func (q *cq) listLost(peer *peerContext) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.receivers.names.listAll(peer)
}

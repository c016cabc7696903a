package shm

import (
	"slices"
	"sync/atomic"
)

// A CQ of many QPs whose polls find few records asks its peers for names: a requester that has published a record, or asked for a
// receive of an SRQ, then also names the QP in a ring of its own directory, and the CQ reads that ring in place of all receive queues.
// So a poll costs the same for thousands of idle QPs. While polls find many records the CQ does not ask: to read a name for each message, from a line that the peer is about
// to write again, takes longer than to look at the queues.
//
// A word in the CQ's directory asks. Requesters that are executing may have read it before, so the CQ goes on looking at all queues
// until each of them has left once, and for one poll more.

// askState says whether a CQ asks its peers for names.
type askState int

const (
	notAsked askState = iota
	justAsked
	asked
)

// names are receive queues of a CQ whose peers name them if they are asked to: those of QPs with receives of their own, or those of
// QPs on SRQs. The CQ's lock guards them.
type names struct {
	cq      *cq
	queues  []*recvQueue
	readers []*arrivalReader // of the peers
	next    int              // index of the queue at which the next look begins
	list    queueList
	state   askState
	credit  int               // see countRecords
	leaving []activeRequester // that may not know yet that they are asked
}

// add adds a queue of a QP that is about to be connected to the peer.
func (m *names) add(p *recvQueue, peer *peerContext, number uint32) {
	p.namedTo, p.namedAt = m, len(m.queues)
	m.queues = append(m.queues, p)
	m.leaving = slices.Grow(m.leaving, max(0, len(m.queues)-len(m.leaving))) // ask does not allocate
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
	m.list.remove(p)
	m.readers = slices.DeleteFunc(m.readers, func(x *arrivalReader) bool {
		if x.peer == peer {
			x.qps--
		}
		return x.qps == 0
	})
	if len(m.queues) == 0 {
		m.stopAsking()
	}
}

// arrivalNumber returns the number of the CQ's word, and of its ring in the directories of its peers.
func (q *cq) arrivalNumber() uint32 {
	return uint32((q.ctx.id^uint64(q.id))*0x9e3779b97f4a7c15>>32)%arrivalRings + 1
}

func (q *cq) askWord() *uint64 { return &q.ctx.dir.asks[q.arrivalNumber()-1][0] }

// ask asks the peers for names.
func (m *names) ask() {
	atomic.AddUint64(m.cq.askWord(), 1)
	m.state, m.leaving = justAsked, m.leaving[:0]
	for _, p := range m.queues {
		m.leaving = p.qp.appendPeerRequester(m.leaving)
	}
}

// stopAsking ends what ask has begun, if it has.
func (m *names) stopAsking() {
	if m.state != notAsked {
		atomic.AddUint64(m.cq.askWord(), ^uint64(0))
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

// listMore lists queues that have work, at most the number if it looks at all, and reports whether there are any.
func (m *names) listMore(most int) bool {
	if m.state == asked {
		if m.credit--; m.credit > 0 {
			m.stopAsking()
		}
		m.listNamed()
		return m.list.hasWork()
	}
	know := m.state == justAsked && m.allKnow()
	found := m.look(most)
	switch {
	case know && found == 0:
		m.state, m.credit = asked, leastCredit
	case m.state == notAsked && m.credit < 0:
		m.ask()
	}
	return found > 0
}

// look lists those queues that have work, and returns their number. It ends when that is most.
func (m *names) look(most int) (found int) {
	looks := 0
	for ; looks < len(m.queues) && found < most; looks++ {
		if m.next++; m.next >= len(m.queues) {
			m.next = 0
		}
		if p := m.queues[m.next]; p.hasWork() {
			m.list.add(p)
			found++
		}
	}
	m.credit -= looks
	return found
}

// While a CQ does not ask, its credit falls by one with each look at a queue and rises by looksPerRecord with each record; below 0 it
// asks. While it asks, the credit begins at leastCredit, falls by one with each read of the rings and rises by readsPerRecord with each
// record; above 0 it stops. So both take some hundreds of records or thousands of looks.
const (
	maxCredit      = 4096
	leastCredit    = -4096
	looksPerRecord = 64
	readsPerRecord = 12
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
func (m *names) listNamed() {
	for _, from := range m.readers {
		for range arrivalSlots {
			num, found, lost := from.read()
			if lost {
				m.listAll(from.peer)
			}
			if !found {
				break
			}
			if p := m.cq.ctx.qps.slot(num).Load(); p != nil && p.recv.namedTo == m {
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

// namedHaveRecords reports whether queues that peers may name have records.
func (q *cq) namedHaveRecords() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.receivers.names.list.hasWork() || q.receivers.names.listMore(1)
}

// queueList is a list of receive queues that may have work.
type queueList struct{ first, last *recvQueue }

// add appends a queue, unless it is in the list.
func (l *queueList) add(p *recvQueue) {
	if p.listed {
		return
	}
	p.listed, p.before, p.after = true, l.last, nil
	if l.last == nil {
		l.first = p
	} else {
		l.last.after = p
	}
	l.last = p
}

// remove removes a queue, if it is in the list.
func (l *queueList) remove(p *recvQueue) {
	if !p.listed {
		return
	}
	if p.before == nil {
		l.first = p.after
	} else {
		p.before.after = p.after
	}
	if p.after == nil {
		l.last = p.before
	} else {
		p.after.before = p.before
	}
	p.listed, p.before, p.after = false, nil, nil
}

// hasWork reports whether a queue in the list has work. It removes those before it.
func (l *queueList) hasWork() bool {
	for l.first != nil && !l.first.hasWork() {
		l.remove(l.first)
	}
	return l.first != nil
}

package shm

import (
	"fmt"
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// srq is a shared receive queue: an ordinary queue of this process, which no peer
// sees. A connected QP is lent receives of it when its peer asks (shared.go), a UD QP
// takes one when a datagram comes.
type srq struct {
	object
	pd     *pd
	num    uint32
	maxSGE int
	xrcd   *xrcd // by which it was made, if it is for XRC
	cq     *cq   // for its completions, if it is for XRC

	polled relaxedCounter // of the completions that were added to CQs, those that are not there any more

	*pool                // whose lock guards what follows
	head, tail *sharedWR // receives, in order
	free       *sharedWR // places that were used
	count      int       // receives that peers have not used, whether they are lent or not
	added      uint32    // completions that were added to CQs; those that are there have their places still
	max        int
	limit      int   // 0: no event is armed
	waiting    []*qp // whose peers wait for a receive
	last       *qp   // that asked for receives last
	batch      int   // that it was lent
}

// sharedWR is a receive of a shared queue, from its post to its completion.
type sharedWR struct {
	recvSlot
	srq  *srq
	sges []verbs.SGE
	next *sharedWR
}

func (p *pd) CreateSRQ(init *verbs.SRQInitAttr) (verbs.SRQ, error) {
	c, a := p.ctx, &init.Attr
	switch {
	case p.isClosed():
		return nil, c.err("create_srq", ebadf, closedText)
	case a.MaxWR < 1 || a.MaxWR > maxWR:
		return nil, c.err("create_srq", einval, "an SRQ holds 1 to 32768 work requests")
	case a.MaxSGE < 0 || a.MaxSGE > maxSGE:
		return nil, c.err("create_srq", einval, "a work request has 0 to 32 SGEs")
	}
	s := &srq{object: c.newObject(&p.object), pd: p, maxSGE: a.MaxSGE, max: a.MaxWR, pool: &pool{}}
	if init.XRCD != nil || init.CQ != nil {
		if err := s.join(init.XRCD, init.CQ); err != nil {
			return nil, err
		}
	}
	s.mu.Lock() // so that no peer is lent receives of a queue that is not in its pool yet
	defer s.mu.Unlock()
	if !c.srqs.enter(s, s.show) {
		return nil, c.err("create_srq", enomem, "all SRQs are in use")
	}
	s.setQueue(s, true)
	s.retain(1)
	return s, nil
}

// show gives the queue its number and shows it to the peers of its domain.
func (s *srq) show(num uint32) {
	s.num, s.name = num, fmt.Sprintf(" srq %#x", num)
	e := &s.ctx.dir.srqs[num%maxSRQ]
	e.pd, e.xrcd, e.cq, e.stamps = s.pd.id, s.pool.id, 0, 0
	if s.cq != nil {
		e.cq, e.stamps = s.cq.notifier.number(), uint32(s.cq.stamps)
	}
	atomic.StoreUint32(&e.num, num)
}

func (s *srq) Num() (uint32, error) {
	if s.closed.Load() {
		return 0, s.err("get_srq_num", ebadf, closedText)
	}
	return s.num, nil
}

func (s *srq) Query() (verbs.SRQAttr, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return verbs.SRQAttr{}, s.err("query_srq", ebadf, closedText)
	}
	return verbs.SRQAttr{MaxWR: s.max, MaxSGE: s.maxSGE, Limit: s.limit}, nil
}

func (s *srq) Modify(a verbs.SRQAttr, mask verbs.SRQAttrMask) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	size, limit := s.max, s.limit
	if mask&verbs.SRQMaxWR != 0 {
		size = a.MaxWR
	}
	if mask&verbs.SRQLimit != 0 {
		limit = a.Limit
	}
	switch used := s.used(); {
	case s.closed.Load():
		return s.err("modify_srq", ebadf, closedText)
	case mask&^(verbs.SRQMaxWR|verbs.SRQLimit) != 0:
		return s.err("modify_srq", einval, fmt.Sprintf("srq_attr_mask %#x: 1 is MAX_WR, 2 is LIMIT", uint32(mask)))
	case size < 1 || size > maxWR:
		return s.err("modify_srq", einval, "an SRQ holds 1 to 32768 work requests")
	case size < used:
		return s.err("modify_srq", einval, fmt.Sprintf("max_wr %d: %d receives are posted, or completed and not polled", size, used))
	case limit < 0 || limit > size:
		return s.err("modify_srq", einval, fmt.Sprintf("srq_limit %d: 0 to max_wr, which is %d", limit, size))
	}
	s.max, s.limit = size, limit
	return nil
}

func (s *srq) PostRecv(wr *verbs.RecvWR) (*verbs.RecvWR, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.offer()
	for ; wr != nil; wr = wr.Next {
		switch {
		case s.closed.Load():
			return wr, s.err("post_srq_recv", ebadf, closedText)
		case wrongList(wr.SGList, wr.NumSGE, s.maxSGE):
			return wr, s.err("post_srq_recv", einval, listText(wr.NumSGE, s.maxSGE, "max_sge"))
		case s.used() >= s.max:
			return wr, s.err("post_srq_recv", enomem, "shared receive queue is full: poll completions first")
		}
		s.append(wr)
	}
	return nil, nil
}

// What follows is called under the lock.

// used counts the places that are taken: of receives posted, or completed and not polled.
func (s *srq) used() int { return s.count + int(s.added-s.polled.Load()) }

// append adds a receive.
func (s *srq) append(wr *verbs.RecvWR) {
	w := s.free
	if w == nil {
		w = &sharedWR{srq: s}
	} else {
		s.free = w.next
	}
	w.sges = append(w.sges[:0], sgesOf(wr.SGList, wr.NumSGE)...)
	w.wrid, w.room, w.next = wr.WRID, total(w.sges), nil
	if s.head == nil {
		s.head = w
	} else {
		s.tail.next = w
	}
	s.tail = w
	s.count++
}

// pop takes the first receive off the queue.
func (s *srq) pop() *sharedWR {
	w := s.head
	s.head = w.next
	return w
}

// unpop puts a receive back to the head of the queue.
func (s *srq) unpop(w *sharedWR) {
	if w.next = s.head; s.head == nil {
		s.tail = w
	}
	s.head = w
}

// usedUp counts a receive as used. What is in it is valid while the lock is held.
func (s *srq) usedUp(w *sharedWR) {
	w.next, s.free = s.free, w
	s.count--
	if s.count < s.limit && !s.closed.Load() {
		s.limit = 0
		s.ctx.raise(verbs.AsyncEvent{Type: verbs.EventSRQLimitReached, SRQ: s})
	}
}

// take uses up the first receive, whose SGEs are copied behind those of into. Its completion is
// to be added to a CQ.
func (s *srq) take(into []verbs.SGE) (wrid uint64, sges []verbs.SGE, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.head == nil && s.last != nil {
		s.last.takeBackUnasked()
	}
	if s.head == nil || s.closed.Load() {
		return 0, nil, false
	}
	w := s.pop()
	s.added++
	s.usedUp(w)
	return w.wrid, append(into, w.sges...), true
}

// Close waits until the queue's events that were fetched are acknowledged.
func (s *srq) Close() error {
	s.mu.Lock()
	again, err := s.shut("destroy_srq", "a QP uses the SRQ")
	if s.closed.Load() {
		s.setQueue(s, false)
		s.waiting, s.last = nil, nil
	}
	s.mu.Unlock()
	if again || err != nil {
		return err
	}
	c := s.ctx
	atomic.StoreUint32(&c.dir.srqs[s.num%maxSRQ].num, 0)
	c.srqs.at(s.num).Store(nil)
	c.async.forget(&s.acks)
	c.async.await(&s.acks)
	s.retain(-1)
	return nil
}

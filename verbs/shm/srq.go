package shm

import (
	"fmt"
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// srq is a shared receive queue. It is private to this process. Its receives are supplied to a
// connected QP when the peer asks for them (srq_supply.go). A UD QP takes one for each datagram.
type srq struct {
	object
	pd     *pd
	num    uint32
	maxSGE int
	xrcd   *xrcd // XRC: the domain
	cq     *cq   // XRC: the CQ of its completions

	completionsPolled relaxedCounter // completions of the ring that were polled

	*srqPool                // its lock guards the fields below
	head, tail       *srqWR // posted receives, in order
	free             *srqWR // recycled entries
	count            int    // receives that peers have not used, supplied or not
	completionsAdded uint32 // completions that were added to CQ rings; unpolled ones still occupy slots
	max              int
	limit            int   // 0: the limit event is not armed
	waitingQPs       []*qp // QPs whose peers wait for a receive
	batchQP          *qp   // the QP that asked last, if it is supplied in batches
	batch            int   // size of its last batch
}

// srqWR is a receive of an SRQ, from posting to completion.
type srqWR struct {
	recvSlot
	srq  *srq
	sges []verbs.SGE
	next *srqWR
}

func (p *pd) CreateSRQ(init *verbs.SRQInitAttr) (verbs.SRQ, error) {
	c, a := p.ctx, &init.Attr
	switch {
	case p.isClosed():
		return nil, c.err("create_srq", ebadf, closedText)
	case a.MaxWR < 1 || a.MaxWR > maxWR:
		return nil, c.err("create_srq", einval, "max_wr must be 1 to 32768")
	case a.MaxSGE < 0 || a.MaxSGE > maxSGE:
		return nil, c.err("create_srq", einval, "max_sge must be 0 to 32")
	}
	s := &srq{object: c.newObject(&p.object), pd: p, maxSGE: a.MaxSGE, max: a.MaxWR, srqPool: &srqPool{}}
	if init.XRCD != nil || init.CQ != nil {
		if err := s.joinXRCD(init.XRCD, init.CQ); err != nil {
			return nil, err
		}
	}
	s.mu.Lock() // before the SRQ is in its pool, no peer may be supplied from it
	defer s.mu.Unlock()
	if !c.srqs.insert(s, s.publish) {
		return nil, c.err("create_srq", enomem, "all SRQs are in use")
	}
	s.setSRQ(s, true)
	s.retain(1)
	return s, nil
}

// publish gives the SRQ its number and writes its entry in the directory.
func (s *srq) publish(num uint32) {
	s.num, s.name = num, fmt.Sprintf(" srq %#x", num)
	e := &s.ctx.dir.srqs[num%maxSRQ]
	e.pd, e.xrcd, e.cq, e.stamps = s.pd.id, s.srqPool.id, 0, 0
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
		return s.err("modify_srq", einval, fmt.Sprintf("srq_attr_mask %#x: only MAX_WR (1) and LIMIT (2) are supported", uint32(mask)))
	case size < 1 || size > maxWR:
		return s.err("modify_srq", einval, "max_wr must be 1 to 32768")
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
	defer s.supplyWaiting()
	for ; wr != nil; wr = wr.Next {
		switch {
		case s.closed.Load():
			return wr, s.err("post_srq_recv", ebadf, closedText)
		case badSGList(wr.SGList, wr.NumSGE, s.maxSGE):
			return wr, s.err("post_srq_recv", einval, sgListError(wr.NumSGE, s.maxSGE, "max_sge"))
		case s.used() >= s.max:
			return wr, s.err("post_srq_recv", enomem, "SRQ is full: poll completions first")
		}
		s.append(wr)
	}
	return nil, nil
}

// The caller of the methods below holds the lock.

// used returns the number of occupied slots: receives that are posted, or completed and not polled.
func (s *srq) used() int { return s.count + int(s.completionsAdded-s.completionsPolled.Load()) }

// append adds a receive.
func (s *srq) append(wr *verbs.RecvWR) {
	w := s.free
	if w == nil {
		w = &srqWR{srq: s}
	} else {
		s.free = w.next
	}
	w.sges = append(w.sges[:0], sgesOf(wr.SGList, wr.NumSGE)...)
	w.wrid, w.length, w.next = wr.WRID, totalLength(w.sges), nil
	if s.head == nil {
		s.head = w
	} else {
		s.tail.next = w
	}
	s.tail = w
	s.count++
}

// popFirst removes the first receive.
func (s *srq) popFirst() *srqWR {
	w := s.head
	s.head = w.next
	return w
}

// pushFirst puts a receive back at the head of the queue.
func (s *srq) pushFirst(w *srqWR) {
	if w.next = s.head; s.head == nil {
		s.tail = w
	}
	s.head = w
}

// consume recycles a used receive. Its content is valid while the lock is held.
func (s *srq) consume(w *srqWR) {
	w.next, s.free = s.free, w
	s.count--
	if s.count < s.limit && !s.closed.Load() {
		s.limit = 0
		s.ctx.raise(verbs.AsyncEvent{Type: verbs.EventSRQLimitReached, SRQ: s})
	}
}

// take consumes the first receive and appends its SGEs to into. The caller adds its completion to a
// CQ.
func (s *srq) take(into []verbs.SGE) (wrid uint64, sges []verbs.SGE, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.head == nil && s.batchQP != nil {
		s.batchQP.reclaimUnrequested()
	}
	if s.head == nil || s.closed.Load() {
		return 0, nil, false
	}
	w := s.popFirst()
	s.completionsAdded++
	s.consume(w)
	return w.wrid, append(into, w.sges...), true
}

// Close destroys the SRQ and waits until its fetched events are acknowledged.
func (s *srq) Close() error {
	s.mu.Lock()
	wasClosed, err := s.markClosed("destroy_srq", "a QP uses the SRQ")
	if s.closed.Load() {
		s.setSRQ(s, false)
		s.waitingQPs, s.batchQP = nil, nil
	}
	s.mu.Unlock()
	if wasClosed || err != nil {
		return err
	}
	c := s.ctx
	atomic.StoreUint32(&c.dir.srqs[s.num%maxSRQ].num, 0)
	c.srqs.slot(s.num).Store(nil)
	c.async.forget(&s.acks)
	c.async.awaitAcks(&s.acks)
	s.retain(-1)
	return nil
}

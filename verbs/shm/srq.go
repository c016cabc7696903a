package shm

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// srq is a shared receive queue: an ordinary queue of this process, which no peer
// sees. A connected QP gets a receive of it when its peer asks (feed.go), a UD QP
// takes one when a datagram comes.
type srq struct {
	ctx    *context
	pd     *pd
	num    uint32
	maxSGE int
	async  acks

	used atomic.Int32 // places taken: of receives posted, or completed and not polled

	mu      sync.Mutex
	queue   []verbs.RecvWR // copies, with SGEs of their own
	max     int
	limit   int   // 0: no event is armed
	waiting []*qp // whose peers wait for a receive
	users   int   // QPs
	closed  bool
}

func (s *srq) asyncAcks() *acks { return &s.async }

func (p *pd) CreateSRQ(init *verbs.SRQInitAttr) (verbs.SRQ, error) {
	c, a := p.ctx, &init.Attr
	switch {
	case a.MaxWR < 1 || a.MaxWR > maxWR:
		return nil, c.err("create_srq", einval, "an SRQ holds 1 to 32768 work requests")
	case a.MaxSGE < 0 || a.MaxSGE > maxSGE:
		return nil, c.err("create_srq", einval, "a work request has 0 to 32 SGEs")
	case init.XRCD != nil:
		return nil, c.err("create_srq", verbs.ErrNotSupported, "XRC is not offered")
	}
	s := &srq{ctx: c, pd: p, maxSGE: a.MaxSGE, max: a.MaxWR}
	if err := c.enterSRQ(s); err != nil {
		return nil, err
	}
	p.use(1)
	return s, nil
}

// enterSRQ gives the queue a number.
func (c *context) enterSRQ(s *srq) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.srqs) == maxSRQ {
		return c.err("create_srq", enomem, "all SRQs are in use")
	}
	for s.num == 0 || c.srqs[s.num] != nil {
		c.nextSRQ = c.nextSRQ%(1<<24-1) + 1
		s.num = c.nextSRQ
	}
	c.srqs[s.num] = s
	return nil
}

func (s *srq) err(verb string, errno syscall.Errno, detail string) error {
	return &verbs.OpError{Verb: verb, Object: fmt.Sprintf("%s srq %#x", s.ctx.dev.name, s.num), Errno: errno, Detail: detail}
}

func (s *srq) Num() (uint32, error) { return s.num, nil }

func (s *srq) Query() (verbs.SRQAttr, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
	switch used := int(s.used.Load()); {
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
	bad, err := s.post(wr)
	s.serve()
	return bad, err
}

func (s *srq) post(wr *verbs.RecvWR) (*verbs.RecvWR, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ; wr != nil; wr = wr.Next {
		switch {
		case wr.NumSGE < 0 || int(wr.NumSGE) > s.maxSGE:
			return wr, s.err("post_srq_recv", einval, "num_sge exceeds max_sge")
		case int(s.used.Load()) >= s.max:
			return wr, s.err("post_srq_recv", enomem, "shared receive queue is full: poll completions first")
		}
		w := verbs.RecvWR{WRID: wr.WRID, NumSGE: wr.NumSGE}
		if sges := slices.Clone(sgesOf(wr.SGList, wr.NumSGE)); len(sges) > 0 {
			w.SGList = &sges[0]
		}
		s.queue = append(s.queue, w)
		s.used.Add(1)
	}
	return nil, nil
}

// take removes the first receive. Its place is free again when free is called.
func (s *srq) take() (w verbs.RecvWR, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takeLocked()
}

func (s *srq) takeLocked() (w verbs.RecvWR, ok bool) {
	if len(s.queue) == 0 {
		return w, false
	}
	w, s.queue = s.queue[0], s.queue[1:]
	if len(s.queue) < s.limit {
		s.limit = 0
		s.ctx.raise(verbs.AsyncEvent{Type: verbs.EventSRQLimitReached, SRQ: s})
	}
	return w, true
}

// takeFor removes the first receive for a QP, or notes that the QP waits for one.
func (s *srq) takeFor(q *qp) (w verbs.RecvWR, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w, ok = s.takeLocked(); !ok && !slices.Contains(s.waiting, q) {
		s.waiting = append(s.waiting, q)
	}
	return w, ok
}

// free gives back the place of a receive whose completion is polled or gone.
func (s *srq) free() { s.used.Add(-1) }

// giveBack puts a receive that was taken and not used at the head of the queue.
func (s *srq) giveBack(w verbs.RecvWR) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = slices.Insert(s.queue, 0, w)
}

// leave forgets that the QP waits.
func (s *srq) leave(q *qp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = slices.DeleteFunc(s.waiting, func(x *qp) bool { return x == q })
}

// serve feeds QPs that wait, as long as there are receives.
func (s *srq) serve() {
	for {
		s.mu.Lock()
		if len(s.queue) == 0 || len(s.waiting) == 0 {
			s.mu.Unlock()
			return
		}
		q := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.mu.Unlock()
		q.recv.mu.Lock()
		q.feed()
		q.recv.mu.Unlock()
	}
}

func (s *srq) use(n int) {
	s.mu.Lock()
	s.users += n
	s.mu.Unlock()
}

// Close waits until the queue's events that were fetched are acknowledged.
func (s *srq) Close() error {
	s.mu.Lock()
	busy, again := s.users > 0, s.closed
	s.closed = s.closed || !busy
	s.mu.Unlock()
	if busy {
		return s.err("destroy_srq", ebusy, "a QP uses the SRQ")
	}
	if again {
		return nil
	}
	c := s.ctx
	c.mu.Lock()
	delete(c.srqs, s.num)
	c.mu.Unlock()
	c.forget(&s.async)
	s.async.wait()
	s.pd.use(-1)
	return nil
}

package shm

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// A QP that takes from shared receive queues has a receive queue of its own all the same,
// which its peer works in as in any other. The owner lends receives to it:
//
//	requester                            owner of the shared queue
//	finds no receive
//	header.want = number, queue  ----->  who polls the CQ sees it and lends some,
//	                             <-----  or sets header.none = want: the queue is empty
//	takes them, publishes records ---->  who polls the CQ makes completions of them
//
// If nobody polls, the requester asks the owner's device over the socket to look: at once if the
// CQ is armed, else after receiveLook, since that takes CPU time from who may poll. Receives go
// out in the order of the shared queue, to whichever QP has a message. While one QP alone asks,
// it is lent more each time, up to lendMost, which it then has without asking. What it has not
// used goes back when another one asks: header.lent counts what was lent, and what the requester
// has taken, and either side changes its part by a compare-and-swap of both.

const (
	lendMost    = 128 // receives that a QP has at most and has not used
	sharedSlots = 512 // places for receives of its queue; those of a lap before are mostly the same, see write
)

// pool is what QPs are lent receives from: an SRQ, or all of an XRC domain.
type pool struct {
	id   uint32     // of the domain, 0 of an SRQ
	mu   sync.Mutex // of all its queues
	srqs list[srq]
	qps  list[qp] // with peers that may ask
}

// setQP adds the QP to the pool, or removes it. Who polls the CQ of its receives serves it.
func (p *pool) setQP(q *qp, in bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.qps.set(q, in)
	for _, s := range p.srqs.all() {
		s.cqFor(q).lenders.set(q, in)
	}
}

// setQueue adds the queue to the pool, or removes it; under the lock. If there are QPs it is one for XRC.
func (p *pool) setQueue(s *srq, in bool) {
	p.srqs.set(s, in)
	serves := slices.ContainsFunc(p.srqs.all(), func(x *srq) bool { return x.cq == s.cq })
	for _, q := range p.qps.all() {
		s.cq.lenders.set(q, serves)
	}
}

// sharing tells whether the QP's receives come from shared queues.
func (q *qp) sharing() bool { return q.pool != nil }

// claimTries is how often either side changes header.lent while the other one does.
const claimTries = 100

// serve does what the peer wants, if there is something to do. It returns how many completions
// it has written to wc; see collect.
func (q *qp) serve(polled *cq, wc []verbs.WC) int {
	r := &q.recv
	if !r.ready() && atomic.LoadUint64(&r.header.want) == r.served.Load() {
		return 0
	}
	return q.lend(polled, wc)
}

// lend makes completions of the receives that the peer has used, as collect does, and lends it
// what it asks for.
func (q *qp) lend(polled *cq, wc []verbs.WC) (n int) {
	life, ok := q.life.Load(), true
	q.pool.mu.Lock()
	if !q.recv.closed.Load() {
		if n, ok = q.collect(polled, wc); ok {
			q.lendWanted()
		}
	}
	q.pool.mu.Unlock()
	if !ok {
		q.fail(life)
	}
	return n
}

// lendWanted lends receives to a QP whose peer asks for one.
func (q *qp) lendWanted() {
	r := &q.recv
	want := atomic.LoadUint64(&r.header.want)
	i := uint32(want>>32) - 1
	if want == 0 || i-r.next.Load() > r.posted.Load()-r.next.Load() || !receives(verbs.QPState(q.state.Load())) {
		return
	}
	q.waitNoMore()
	s := q.sharedQueue(uint32(want) &^ wants)
	if i != r.posted.Load() {
		if s == r.lent[i&(r.layout.n-1)].srq {
			r.served.Store(want)
			return // it is there
		}
		q.takeBack(i)
	}
	switch {
	case s != nil && s.lendTo(q):
	case s != nil && s.last != q:
		return // what another peer has taken may come back: the next look tells
	default:
		if s != nil {
			s.waiting = append(s.waiting, q)
		}
		atomic.StoreUint64(&r.header.none, want)
	}
	r.served.Store(want)
}

// waitNoMore takes the QP off the lists of those that wait.
func (q *qp) waitNoMore() {
	for _, s := range q.pool.srqs.all() {
		s.waiting = slices.DeleteFunc(s.waiting, func(x *qp) bool { return x == q })
	}
}

// sharedQueue returns the queue that a request of the peer names; nil: there is none.
func (q *qp) sharedQueue(num uint32) *srq {
	if q.srq != nil {
		return q.srq
	}
	if s := q.ctx.srqs.at(num).Load(); s != nil && s.num == num && s.pool == q.pool && !s.closed.Load() {
		return s
	}
	return nil
}

// lendTo lends the QP as many receives as it may have: more than one only while no other QP has
// any that it was lent ahead. It is false if there are none.
func (s *srq) lendTo(q *qp) bool {
	if s.last != q && (s.last == nil || s.last.takeBackUnasked()) {
		s.last, s.batch = q, 0
	}
	if s.head == nil {
		return false
	}
	batch := 1
	if s.last == q {
		s.batch = min(max(2*s.batch, 1), lendMost)
		batch = s.batch
	}
	s.lendOut(q, batch)
	return true
}

// lendOut lends the QP receives until it has a batch that it has not used.
func (s *srq) lendOut(q *qp, batch int) {
	r := &q.recv
	if r.lent == nil { // of many QPs that receive nothing none has it
		r.lent = make([]*sharedWR, r.layout.n)
	}
	first := r.posted.Load()
	i := first
	for ; int(i-r.next.Load()) < batch && s.head != nil; i++ {
		w := s.pop()
		r.lent[i&(r.layout.n-1)] = w
		r.write(i, w.sges)
		if at := r.wqe(i); at.srq != s.num {
			at.srq = s.num
		}
	}
	if i != first {
		r.posted.Store(i)
		atomic.AddUint64(&r.header.lent, uint64(i-first)<<32)
	}
}

// takeBackUnasked takes back what was lent beyond the receive that the peer asked for, and tells
// whether that was all of it.
func (q *qp) takeBackUnasked() bool {
	from := q.recv.next.Load()
	if asked := uint32(q.recv.served.Load() >> 32); asked-from <= q.recv.posted.Load()-from {
		from = asked
	}
	return q.takeBack(from)
}

// takeBack returns the receives from number i on to their queues, as far as the peer has not
// taken them, and tells whether it has taken none.
func (q *qp) takeBack(i uint32) bool {
	r := &q.recv
	next, last := r.next.Load(), r.posted.Load()
	for range claimTries {
		w := atomic.LoadUint64(&r.header.lent)
		from := next + max(i-next, uint32(w)-next)
		if last-next < from-next {
			return true // by what the peer says it has taken more than there is: nothing comes back
		}
		if atomic.CompareAndSwapUint64(&r.header.lent, w, uint64(from)<<32|uint64(uint32(w))) {
			r.giveBack(from)
			return from == i
		}
	}
	return false
}

// giveBack returns the receives from number i on to their queues.
func (r *recvQueue) giveBack(i uint32) {
	for last := r.posted.Load(); last != i; last-- {
		w := r.lent[(last-1)&(r.layout.n-1)]
		w.srq.unpop(w)
	}
	r.posted.Store(i)
}

// reclaimReceives ends the lending: what the peer completed stays, and what it did not goes back,
// since others may use it. The peer's requester must be out of the queue.
func (q *qp) reclaimReceives() {
	p, r := q.pool, &q.recv
	p.mu.Lock()
	defer p.mu.Unlock()
	if !r.closed.Load() {
		q.collect(nil, nil)
	}
	r.closed.Store(true)
	r.giveBack(r.next.Load())
	q.waitNoMore()
	for _, s := range p.srqs.all() {
		if s.last == q {
			s.last = nil
		}
		s.offer()
	}
}

// offer lends what there is to QPs whose peers wait, and to one that is alone without being
// asked, once it has used half of what it may have.
func (s *srq) offer() {
	for len(s.waiting) > 0 && s.head != nil {
		q := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.lendTo(q)
	}
	if q := s.last; q != nil && s.batch == lendMost && q.recv.posted.Load()-q.recv.next.Load() <= lendMost/2 {
		s.lendOut(q, lendMost)
	}
}

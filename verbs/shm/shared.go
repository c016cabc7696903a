package shm

import (
	"slices"
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

// lendMost is how many receives a QP has at most that it has not used.
const lendMost = 128

// sharing tells whether the QP's receives come from shared queues.
func (q *qp) sharing() bool { return q.srq != nil || q.typ == verbs.QPTypeXRCRecv }

// borrow takes the next receive of a shared queue, and asks for one if there is none.
func (p *peer) borrow(srq uint32) outcome {
	if p.claim(srq, 1) {
		return done
	}
	want := p.want(srq)
	again := atomic.LoadUint64(&p.header.want) == want
	if !again {
		atomic.StoreUint64(&p.header.want, want)
		if p.awaitReceive() && p.claim(srq, 1) {
			return done
		}
	}
	if p.none(srq) {
		return notReady
	}
	if again || p.notifier.armed() {
		p.requestLook()
	}
	return asked
}

// want is the word that asks for the next receive.
func (p *peer) want(srq uint32) uint64 { return uint64(p.next+1)<<32 | uint64(srq) }

// none tells whether the owner said that it has none.
func (p *peer) none(srq uint32) bool { return atomic.LoadUint64(&p.header.none) == p.want(srq) }

// claim takes receives that were lent, unless some are taken: so many at most. It tells whether
// the next one is now taken and of the queue.
func (p *peer) claim(srq, most uint32) bool {
	if p.claimed == 0 {
		w := atomic.LoadUint64(&p.header.lent)
		n := min(uint32(w>>32)-p.next, most, claimMost)
		if uint32(w) != p.next || n == 0 || !atomic.CompareAndSwapUint64(&p.header.lent, w, w>>32<<32|uint64(p.next+n)) {
			return false
		}
		p.claimed = n
	}
	if p.xrcd != 0 && atomic.LoadUint32(&p.wqe().srq) != srq {
		p.unclaim()
	}
	return p.claimed > 0
}

// claimMost is how many receives are taken at a time.
const claimMost = 8

// unclaim gives back what is taken and not used, unless the peer plays with the word.
func (p *peer) unclaim() {
	for range claimTries {
		w := atomic.LoadUint64(&p.header.lent)
		if p.claimed == 0 || atomic.CompareAndSwapUint64(&p.header.lent, w, w>>32<<32|uint64(p.next)) {
			break
		}
	}
	p.claimed = 0
}

// claimTries is how often either side changes header.lent while the other one does.
const claimTries = 100

// lender is what a CQ has of QPs on shared queues: whoever polls the CQ serves them.
type lender interface{ serve() }

// serve does what the peer wants, if there is something to do.
func (q *qp) serve() {
	r := &q.recv
	if !r.ready() && atomic.LoadUint64(&r.header.want) == r.served.Load() {
		return
	}
	if life := q.life.Load(); !q.lend() {
		q.fail(life)
	}
}

// lend makes completions of the receives that the peer has used and lends it what it asks
// for. It is false when the connection has failed.
func (q *qp) lend() bool {
	lock := q.pool()
	lock.Lock()
	defer lock.Unlock()
	if q.recv.closed.Load() {
		return true
	}
	ok := q.collect()
	if ok {
		q.lendWanted()
	}
	return ok
}

// collect turns the records of the peer into completions. Those that sleep for them have been
// woken by the peer.
func (q *qp) collect() (ok bool) {
	r := &q.recv
	var s *srq
	var to *cq // locked, as the next receive is mostly of the same queue
	for ok = true; ok && !r.closed.Load(); {
		i := r.next.Load()
		w1, there := r.record(i)
		if !there {
			break
		}
		if i == r.posted.Load() || w1&recFault != 0 {
			ok = false
			break
		}
		s = r.from[i&(r.layout.n-1)]
		e := s.received(verbs.WC{})
		legal := r.complete(i, w1, &e.wc)
		r.next.Store(i + 1)
		s.usedUp()
		if s.closed {
			continue
		}
		if c := s.completions(q); c != to {
			to.unlock()
			c.mu.Lock()
			to = c
		}
		to.pushLocked(&e, r.time(i))
		ok = legal
	}
	to.unlock()
	if ok && s != nil && s.last == q && s.batch == lendMost && !s.closed {
		s.lendOut(q, s.batch)
	}
	return ok
}

// unlock unlocks the queue, if there is one.
func (q *cq) unlock() {
	if q != nil {
		q.mu.Unlock()
	}
}

// completions is the CQ of receives of the shared queue that the QP uses up.
func (s *srq) completions(q *qp) *cq {
	if s.cq != nil {
		return s.cq
	}
	return q.recvCQ
}

// lendWanted lends receives to a QP whose peer asks for one.
func (q *qp) lendWanted() {
	r := &q.recv
	want := atomic.LoadUint64(&r.header.want)
	i := uint32(want>>32) - 1
	if want == 0 || i-r.next.Load() > r.posted.Load()-r.next.Load() || !receives(verbs.QPState(q.state.Load())) {
		return
	}
	if r.waits != nil {
		r.waits.waiting = slices.DeleteFunc(r.waits.waiting, func(x *qp) bool { return x == q })
		r.waits = nil
	}
	s := q.sharedQueue(uint32(want))
	if i != r.posted.Load() {
		if s == r.from[i&(r.layout.n-1)] {
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
			s.waiting, r.waits = append(s.waiting, q), s
		}
		atomic.StoreUint64(&r.header.none, want)
	}
	r.served.Store(want)
}

// sharedQueue returns the queue that a request of the peer names; nil: there is none.
func (q *qp) sharedQueue(num uint32) *srq {
	if q.srq != nil {
		return q.srq
	}
	for _, s := range q.domain.srqs {
		if s.num == num {
			return s
		}
	}
	return nil
}

// lendTo lends the QP as many receives as it may have: more than one only while no other QP has
// any that it was lent ahead. It is false if there are none.
func (s *srq) lendTo(q *qp) bool {
	if s.last != nil && s.last != q && s.last.takeBackUnasked() {
		s.last = nil
	}
	if s.last == nil {
		s.last, s.batch = q, 0
	}
	batch := 1
	if s.last == q {
		s.batch = min(max(2*s.batch, 1), lendMost, q.recv.depth)
		batch = s.batch
	}
	if s.len() == 0 {
		return false
	}
	s.lendOut(q, batch)
	return true
}

// lendOut lends the QP receives until it has a batch that it has not used.
func (s *srq) lendOut(q *qp, batch int) {
	r := &q.recv
	n := uint64(0)
	for ; int(r.posted.Load()-r.next.Load()) < batch && s.len() > 0; n++ {
		r.give(s, s.pop())
	}
	atomic.AddUint64(&r.header.lent, n<<32)
}

// give puts a receive of a shared queue into the QP's own, where the peer is yet to be told of it.
func (r *recvQueue) give(s *srq, w *sharedWR) {
	i := r.posted.Load()
	slot := i & (r.layout.n - 1)
	r.slots[slot], r.from[slot] = recvSlot{w.wrid, total(w.sges)}, s
	r.lent[slot] = append(r.lent[slot][:0], w.sges...)
	r.posted.Store(i + 1)
	r.write(i, w.sges)
	if at := r.wqe(i); at.srq != s.num {
		at.srq = s.num
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
			for ; last != from; last-- {
				r.giveBack(last - 1)
			}
			return from == i
		}
	}
	return false
}

// giveBack returns the last receive to its queue.
func (r *recvQueue) giveBack(i uint32) {
	slot := i & (r.layout.n - 1)
	r.posted.Store(i)
	r.from[slot].unpop(sharedWR{wrid: r.slots[slot].wrid, sges: r.lent[slot]})
}

// reclaimReceives ends the lending: what the peer completed stays, and what it did not goes back,
// since others may use it. The peer's requester must be out of the queue.
func (q *qp) reclaimReceives() {
	lock, r := q.pool(), &q.recv
	lock.Lock()
	defer lock.Unlock()
	if !r.closed.Load() {
		q.collect()
	}
	r.closed.Store(true)
	var queues []*srq
	for last := r.posted.Load(); last != r.next.Load(); last-- {
		queues = append(queues, r.from[(last-1)&(r.layout.n-1)])
		r.giveBack(last - 1)
	}
	for _, s := range q.sharedQueues() {
		s.waiting = slices.DeleteFunc(s.waiting, func(x *qp) bool { return x == q })
		if s.last == q {
			s.last = nil
		}
	}
	r.waits = nil
	for _, s := range queues {
		s.serveWaiting()
	}
}

// serveWaiting lends to QPs whose peers wait, as long as there are receives.
func (s *srq) serveWaiting() {
	for len(s.waiting) > 0 && s.len() > 0 {
		q := s.waiting[0]
		s.waiting, q.recv.waits = s.waiting[1:], nil
		s.lendTo(q)
	}
}

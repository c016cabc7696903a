package shm

import (
	"math/bits"
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// cq is a completion queue. Completions that this process makes (of requests, datagrams and what
// is flushed) lie in a private ring. Those that peers make are read where peers put them, in the
// receive queues of the QPs that use the CQ; those of shared receives may come to the ring, see
// collect.
type cq struct {
	object
	id       uint32 // for who prints it
	ch       *channel
	notifier *notifier // nil without a channel

	mu           spinLock
	cqe          int      // capacity, guarded by mu
	own          []ownWC  // a ring, its size a power of two, guarded by mu
	times        []uint64 // of own, nil without timestamps; guarded by mu
	stamps       verbs.Timestamps
	head         uint32         // next to poll, guarded by mu
	tail         relaxedCounter // next to fill, written under mu
	fence        uint32         // for the barrier after filling; see notify
	headSeen     relaxedCounter // copy of head for looks without the lock
	depth        int            // of all receivers' queues, guarded by mu
	overrun      bool           // guarded by mu
	receivers    list[qp]
	nextReceiver int            // receiver that the next poll begins with, guarded by mu
	lenders      list[qp]       // QPs with shared receives that complete here; who polls serves them
	nextLender   relaxedCounter // lender that is served next
	waiters      []*qp          // with work that waits, guarded by mu
	waiting      relaxedCounter // their number
}

// ownWC is a completion of this process's own making, in a cache line. When it is
// polled, the queue that its request took a place in has that place again: a
// send's gives back all those before it too.
type ownWC struct {
	wc     verbs.WC
	places *relaxedCounter // that were given back, of the queue
	sends  uint32          // what places becomes if send is set; else it is one more
	send   bool
}

func (e *ownWC) giveBack() {
	if e.send {
		e.places.Store(e.sends)
	} else {
		e.places.Add(1)
	}
}

func (c *context) CreateCQ(cqe int, ch verbs.CompChannel, compVector int) (verbs.CQ, error) {
	return c.CreateCQEx(&verbs.CQInitAttrEx{CQE: cqe, Channel: ch, CompVector: compVector})
}

// CreateCQEx creates a CQ. All of them take locks, SingleThreaded or not.
func (c *context) CreateCQEx(init *verbs.CQInitAttrEx) (verbs.CQEx, error) {
	switch kind := init.Timestamps; {
	case kind != verbs.TimestampNone && kind != verbs.TimestampTicks && kind != verbs.TimestampWallClock:
		return nil, c.err("create_cq_ex", einval, "there is no such timestamp")
	case c.isClosed():
		return nil, c.err("create_cq", ebadf, closedText)
	case init.CQE < 1 || init.CQE > maxCQE:
		return nil, c.err("create_cq", einval, "cqe is 1 to 1048576")
	case init.CompVector != 0:
		return nil, c.err("create_cq", einval, "comp_vector is 0")
	}
	q := &cq{object: c.newObject(), id: c.newID(), stamps: init.Timestamps}
	q.setSize(init.CQE)
	if init.Channel != nil {
		if err := q.attach(init.Channel); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// ringSize is the power of two that has room for n, at least 1.
func ringSize(n int) int { return 1 << bits.Len(uint(n-1)) }

func (q *cq) Poll(wc []verbs.WC) (int, error) { return q.PollSpin(wc, 1) }

func (q *cq) PollSpin(wc []verbs.WC, max int) (int, error) {
	for range max {
		if q.empty() {
			if !q.helps() {
				continue
			}
			if n := q.help(wc); n > 0 {
				return n, nil
			}
			if q.empty() {
				continue
			}
		}
		return q.take(wc, nil)
	}
	return 0, nil
}

// take takes completions off the queue, with their times if times is not nil.
func (q *cq) take(wc []verbs.WC, times []uint64) (n int, err error) {
	var failed *qp
	var life uint32
	q.mu.Lock()
	switch {
	case q.closed.Load():
		err = q.ctx.err("poll_cq", ebadf, closedText)
	case q.overflows():
		err = q.ctx.err("poll_cq", enomem, "the CQ overran: more completions than entries were left unpolled")
	default:
		n, failed, life = q.pollReceivers(wc, times, q.pollOwn(wc, times))
	}
	q.mu.Unlock()
	if failed != nil {
		failed.fail(life)
	}
	return n, err
}

// empty is a look without the lock: it may miss what arrives now, never what
// was there before the call.
func (q *cq) empty() bool {
	if q.tail.Load() != q.headSeen.Load() {
		return false
	}
	for _, p := range q.receivers.all() {
		if p.recv.ready() {
			return false
		}
	}
	return true
}

func (q *cq) pollOwn(wc []verbs.WC, times []uint64) int {
	n := 0
	tail := q.tail.Load()
	for n < len(wc) && q.head != tail {
		e := &q.own[q.head&uint32(len(q.own)-1)]
		wc[n] = e.wc
		if times != nil {
			times[n] = q.times[q.head&uint32(len(q.own)-1)]
		}
		e.giveBack()
		e.places = nil
		q.head++
		n++
	}
	q.headSeen.Store(q.head)
	return n
}

// push adds a completion of this process's own making and notifies those who wait.
func (q *cq) push(e *ownWC, solicited bool) {
	var at uint64
	if q.stamps != verbs.TimestampNone {
		at = timestamp(q.stamps)
	}
	q.mu.Lock()
	q.pushLocked(e, at)
	q.mu.Unlock()
	q.notify(solicited)
}

// notify tells those who wait that a completion was just added.
func (q *cq) notify(solicited bool) {
	if q.notifier == nil {
		return
	}
	atomic.AddUint32(&q.fence, 1) // the completion is visible before the look at the arm
	q.notifier.notify(solicited)
}

func (q *cq) pushLocked(e *ownWC, at uint64) {
	tail := q.tail.Load()
	if int(tail-q.head) >= q.cqe || q.overrun {
		q.overran()
		e.giveBack()
		return
	}
	q.own[tail&uint32(len(q.own)-1)] = *e
	if q.times != nil {
		q.times[tail&uint32(len(q.own)-1)] = at
	}
	q.tail.Store(tail + 1)
}

// purge removes the completions of a QP that is reset or destroyed.
func (q *cq) purge(p *qp) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.refill(q.own, q.times, func(e *ownWC) bool { return e.wc.QPNum != p.num })
}

// refill puts the completions that are to be kept into a ring, which may be the one they are in,
// and gives the others' places back; under the lock.
func (q *cq) refill(own []ownWC, times []uint64, keep func(*ownWC) bool) {
	to := q.head
	for i, tail := q.head, q.tail.Load(); i != tail; i++ {
		from, at := i&uint32(len(q.own)-1), to&uint32(len(own)-1)
		if e := &q.own[from]; !keep(e) {
			e.giveBack()
			continue
		}
		own[at] = q.own[from]
		if times != nil {
			times[at] = q.times[from]
		}
		to++
	}
	q.own, q.times = own, times
	q.tail.Store(to)
}

func (q *cq) ReqNotify(solicitedOnly bool) error {
	if q.closed.Load() {
		return q.ctx.err("req_notify_cq", ebadf, closedText)
	}
	if q.notifier != nil {
		q.notifier.arm(solicitedOnly)
		q.look()
		q.wakeEngine()
	}
	return nil
}

func (q *cq) AckEvents(n int) { q.ctx.async.count(&q.acks, -n) }

// Close waits until every event that was fetched is acknowledged.
func (q *cq) Close() error {
	if again, err := q.shut("destroy_cq", "a QP uses the CQ"); again || err != nil {
		return err
	}
	q.mu.Lock()
	q.headSeen.Store(q.tail.Load() - 1) // so that no poll finds it empty, and all fail
	q.mu.Unlock()
	q.ctx.async.forget(&q.acks)
	q.ctx.async.await(&q.acks)
	if q.notifier != nil {
		q.detach()
	}
	return nil
}

package shm

import (
	"math/bits"
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/arming"
)

// cq is a completion queue. A private ring holds the completions that this process makes: of
// requests, datagrams and flushed work. Completions made by peers are read from the receive queues
// of the CQ's QPs. Completions of SRQ receives can go through the ring; see completeReceives.
type cq struct {
	object
	id       uint32 // for String
	ch       *channel
	notifier *notifier // nil: no channel

	mu           cqLock
	cqe          int      // capacity; guarded by mu
	ring         []ringWC // its size is a power of two; guarded by mu
	ringTimes    []uint64 // timestamps of ring, nil without timestamps; guarded by mu
	stamps       verbs.Timestamps
	head         uint32         // next to poll; guarded by mu
	tail         relaxedCounter // next to fill; written under mu
	fence        uint32         // for the full fence in notify
	headCopy     relaxedCounter // copy of head for readers without the lock
	overrun      bool           // guarded by mu
	receivers    receivers
	srqReceivers srqReceivers
	pendingQPs   []*qp          // QPs with pending work for pollers; guarded by mu
	pendingCount relaxedCounter // len(pendingQPs)
}

// ringWC is a completion in the ring, in one cache line. Polling it frees the queue slot of its
// request. A send completion also frees the slots of all sends before it.
type ringWC struct {
	wc        verbs.WC
	counter   *relaxedCounter // counts the freed slots of the request's queue
	sendCount uint32          // value that counter gets if send is set; else it is incremented
	send      bool
}

func (e *ringWC) freeSlot() {
	if e.send {
		e.counter.Store(e.sendCount)
	} else {
		e.counter.Add(1)
	}
}

func (c *context) CreateCQ(cqe int, ch verbs.CompChannel, compVector int) (verbs.CQ, error) {
	return c.CreateCQEx(&verbs.CQInitAttrEx{CQE: cqe, Channel: ch, CompVector: compVector})
}

// CreateCQEx creates a CQ. Every CQ is locked, whether or not it is SingleThreaded.
func (c *context) CreateCQEx(init *verbs.CQInitAttrEx) (verbs.CQEx, error) {
	switch kind := init.Timestamps; {
	case kind != verbs.TimestampNone && kind != verbs.TimestampTicks && kind != verbs.TimestampWallClock:
		return nil, c.err("create_cq_ex", einval, "unknown kind of timestamps")
	case c.isClosed():
		return nil, c.err("create_cq", ebadf, closedText)
	case init.CQE < 1 || init.CQE > maxCQE:
		return nil, c.err("create_cq", einval, "cqe must be 1 to 1048576")
	case init.CompVector != 0:
		return nil, c.err("create_cq", einval, "comp_vector must be 0")
	}
	q := &cq{object: c.newObject(), id: c.newID(), stamps: init.Timestamps}
	q.receivers.names.cq, q.srqReceivers.names.cq = q, q
	q.resizeRing(init.CQE)
	if init.Channel != nil {
		if err := q.attach(init.Channel); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// ringSize returns the smallest power of two that is at least n, and at least 1.
func ringSize(n int) int { return 1 << bits.Len(uint(n-1)) }

func (q *cq) Poll(wc []verbs.WC) (int, error) { return q.PollSpin(wc, 1) }

func (q *cq) PollSpin(wc []verbs.WC, max int) (int, error) {
	for range max {
		if q.empty() {
			if !q.hasPendingWork() {
				continue
			}
			if n := q.doPendingWork(wc); n > 0 {
				return n, nil
			}
			if q.empty() {
				continue
			}
		}
		return q.dequeue(wc, nil)
	}
	return 0, nil
}

// dequeue polls completions, with their timestamps if times is not nil.
func (q *cq) dequeue(wc []verbs.WC, times []uint64) (n int, err error) {
	var failed *qp
	var generation uint32
	q.mu.Lock()
	switch {
	case q.closed.Load():
		err = q.ctx.err("poll_cq", ebadf, closedText)
	case q.overrunLocked():
		err = q.ctx.err("poll_cq", enomem, "the CQ overran: more completions than entries were left unpolled")
	default:
		n, failed, generation = q.pollReceivers(wc, times, q.pollRing(wc, times))
	}
	q.mu.Unlock()
	if failed != nil {
		failed.fail(generation)
	}
	return n, err
}

// empty reports whether the CQ has no completions. It may miss a completion that is being added, but
// none that was there before the call.
func (q *cq) empty() bool {
	if q.tail.Load() != q.headCopy.Load() {
		return false
	}
	for _, p := range q.receivers.polled.all() {
		if p.recv.ready() {
			return false
		}
	}
	return q.receivers.others.Load() == 0 || !q.namedHaveRecords()
}

func (q *cq) pollRing(wc []verbs.WC, times []uint64) int {
	n := 0
	tail := q.tail.Load()
	for n < len(wc) && q.head != tail {
		e := &q.ring[q.head&uint32(len(q.ring)-1)]
		wc[n] = e.wc
		if times != nil {
			times[n] = q.ringTimes[q.head&uint32(len(q.ring)-1)]
		}
		e.freeSlot()
		e.counter = nil
		q.head++
		n++
	}
	q.headCopy.Store(q.head)
	return n
}

// push adds a completion to the ring and notifies waiters.
func (q *cq) push(e *ringWC, solicited bool) {
	var at uint64
	if q.stamps != verbs.TimestampNone {
		at = timestamp(q.stamps)
	}
	q.mu.Lock()
	q.pushLocked(e, at)
	q.mu.Unlock()
	q.notify(solicited)
}

// notify notifies waiters of a completion that was just added.
func (q *cq) notify(solicited bool) {
	if q.notifier == nil {
		return
	}
	atomic.AddUint32(&q.fence, 1) // full fence: the completion is visible before armWord is read
	q.notifier.notify(solicited)
}

func (q *cq) pushLocked(e *ringWC, at uint64) {
	tail := q.tail.Load()
	if int(tail-q.head) >= q.cqe || q.overrun {
		q.setOverrun()
		e.freeSlot()
		return
	}
	q.ring[tail&uint32(len(q.ring)-1)] = *e
	if q.ringTimes != nil {
		q.ringTimes[tail&uint32(len(q.ring)-1)] = at
	}
	q.tail.Store(tail + 1)
}

// purge removes the completions of a QP that is reset or destroyed.
func (q *cq) purge(p *qp) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rebuild(q.ring, q.ringTimes, func(e *ringWC) bool { return e.wc.QPNum != p.num })
}

// rebuild moves the completions to keep into a ring, which may be the current one, and frees the
// slots of the others. The caller holds the lock.
func (q *cq) rebuild(own []ringWC, times []uint64, keep func(*ringWC) bool) {
	to := q.head
	for i, tail := q.head, q.tail.Load(); i != tail; i++ {
		from, at := i&uint32(len(q.ring)-1), to&uint32(len(own)-1)
		if e := &q.ring[from]; !keep(e) {
			e.freeSlot()
			continue
		}
		own[at] = q.ring[from]
		if times != nil {
			times[at] = q.ringTimes[from]
		}
		to++
	}
	q.ring, q.ringTimes = own, times
	q.tail.Store(to)
}

func (q *cq) ReqNotify(solicitedOnly bool) error {
	if q.closed.Load() {
		return q.ctx.err("req_notify_cq", ebadf, closedText)
	}
	if q.notifier != nil {
		arming.Arm(q.notifier.word, solicitedOnly)
		q.checkOverrun()
		q.wakeEngine()
	}
	return nil
}

func (q *cq) AckEvents(n int) { q.ctx.async.addUnacked(&q.acks, -n) }

// Close destroys the CQ and waits until all fetched events are acknowledged.
func (q *cq) Close() error {
	if wasClosed, err := q.markClosed("destroy_cq", "a QP uses the CQ"); wasClosed || err != nil {
		return err
	}
	q.mu.Lock()
	q.headCopy.Store(q.tail.Load() - 1) // no poll finds the CQ empty, so that every poll fails
	q.mu.Unlock()
	q.ctx.async.forget(&q.acks)
	q.ctx.async.awaitAcks(&q.acks)
	if q.notifier != nil {
		q.detach()
	}
	return nil
}

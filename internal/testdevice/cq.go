package testdevice

import (
	"sync"

	"github.com/ibperf/ibperf/verbs"
)

// cq wraps a CQ. With an arrival delay each poll takes the completions of the inner CQ, and
// returns those whose delay has passed.
type cq struct {
	verbs.CQ
	ctx     *context
	channel *channel // nil without
	fresh   []verbs.WC

	copying sync.Mutex // held by a poller during scatter to CQE, so that messages are copied in order

	mu      sync.Mutex
	changed *sync.Cond
	late    []arrival // in the order of arrival
	came    uint64    // number of completions
	armed   bool
	events  int // not acknowledged yet
}

// arrival is a delayed completion.
type arrival struct {
	wc  verbs.WC
	due int64
}

// atOnce is the maximum number of completions in one poll of the inner CQ.
const atOnce = 64

// begin adds the CQ to its context.
func (q *cq) begin() error {
	q.changed = sync.NewCond(&q.mu)
	if q.delays() {
		var err error
		if q.fresh, err = verbs.Make[verbs.WC](atOnce); err != nil {
			return err
		}
	}
	if q.channel != nil {
		q.channel.add(q)
	}
	q.ctx.mu.Lock()
	defer q.ctx.mu.Unlock()
	q.ctx.cqs[q.CQ] = q
	return nil
}

func (q *cq) delays() bool { return q.ctx.options.ArrivalDelay != nil }

func (q *cq) Poll(wc []verbs.WC) (int, error) { return q.PollSpin(wc, 1) }

func (q *cq) PollSpin(wc []verbs.WC, max int) (int, error) {
	if hook := q.ctx.options.OnPoll; hook != nil {
		hook(len(wc))
	}
	if q.ctx.options.ScatterToCQE == 0 {
		return q.poll(wc, max)
	}
	q.copying.Lock()
	defer q.copying.Unlock()
	n, err := q.poll(wc, max)
	q.deliver(wc[:n])
	return n, err
}

// poll polls at most max times.
func (q *cq) poll(wc []verbs.WC, max int) (int, error) {
	if !q.delays() {
		n, err := q.CQ.PollSpin(wc, max)
		q.meet(wc[:n])
		return n, err
	}
	for range max {
		if n, err := q.pollLate(wc); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}

// pollLate polls once, with an arrival delay.
func (q *cq) pollLate(wc []verbs.WC) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.look(); err != nil {
		return 0, err
	}
	return q.take(wc), nil
}

// meet advances a virtual clock to the time of messages that arrived.
func (q *cq) meet(wc []verbs.WC) {
	clock := q.ctx.options.Clock
	if clock == nil {
		return
	}
	for i := range wc {
		if isReceive(&wc[i]) {
			clock.meet()
		}
	}
}

func isReceive(wc *verbs.WC) bool {
	return wc.Status == verbs.WCSuccess && wc.Opcode&verbs.WCRecv != 0
}

// look takes the completions of the inner CQ. The caller holds the lock.
func (q *cq) look() error {
	n, err := q.CQ.Poll(q.fresh)
	if n == 0 {
		return err
	}
	q.meet(q.fresh[:n])
	now := q.ctx.now()
	for i := range q.fresh[:n] {
		wc := &q.fresh[i]
		q.late = append(q.late, arrival{*wc, now + int64(q.ctx.options.ArrivalDelay(q.came, wc))})
		q.came++
	}
	return err
}

// take returns completions whose delay has passed. A virtual clock advances to the time of the
// first one. The caller holds the lock.
func (q *cq) take(wc []verbs.WC) (n int) {
	if len(q.late) == 0 || len(wc) == 0 {
		return 0
	}
	if clock := q.ctx.options.Clock; clock != nil {
		clock.reach(q.late[0].due)
	}
	for now := q.ctx.now(); n < min(len(wc), len(q.late)) && q.late[n].due <= now; n++ {
		wc[n] = q.late[n].wc
	}
	q.late = append(q.late[:0], q.late[n:]...)
	return n
}

// purge drops the completions of a QP that is destroyed or RESET.
func (q *cq) purge(qpNum uint32) {
	q.mu.Lock()
	defer q.mu.Unlock()
	kept := q.late[:0]
	for _, a := range q.late {
		if a.wc.QPNum != qpNum {
			kept = append(kept, a)
		}
	}
	q.late = kept
}

// Close waits until all events are acknowledged.
func (q *cq) Close() error {
	q.mu.Lock()
	for q.events > 0 {
		q.changed.Wait()
	}
	q.mu.Unlock()
	if err := q.CQ.Close(); err != nil {
		return err
	}
	if q.channel != nil {
		q.channel.remove(q)
	}
	q.ctx.mu.Lock()
	defer q.ctx.mu.Unlock()
	delete(q.ctx.cqs, q.CQ)
	fresh := q.fresh
	q.fresh = nil
	return verbs.Free(fresh)
}

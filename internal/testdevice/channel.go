package testdevice

import (
	"slices"
	"sync"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// channel wraps a completion channel. With an arrival delay it acknowledges the inner events
// itself, and raises an event when an armed CQ has a completion whose delay has passed.
type channel struct {
	verbs.CompChannel
	ctx *context

	mu  sync.Mutex
	cqs []*cq
}

func (ch *channel) add(q *cq) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.cqs = append(ch.cqs, q)
}

func (ch *channel) remove(q *cq) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.cqs = slices.DeleteFunc(ch.cqs, func(other *cq) bool { return other == q })
}

// of returns the CQ that wraps an inner one, or nil.
func (ch *channel) of(inner verbs.CQ) *cq {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if i := slices.IndexFunc(ch.cqs, func(q *cq) bool { return q.CQ == inner }); i >= 0 {
		return ch.cqs[i]
	}
	return nil
}

func (ch *channel) GetEvent(timeout time.Duration) (verbs.CQ, error) {
	return ch.event(timeout, ch.CompChannel.GetEvent)
}

func (ch *channel) GetEventRaw(timeout time.Duration) (verbs.CQ, error) {
	return ch.event(min(timeout, verbs.LongestRawWait), ch.CompChannel.GetEventRaw)
}

// event waits for an event, by a function of the inner channel.
func (ch *channel) event(timeout time.Duration, wait func(time.Duration) (verbs.CQ, error)) (verbs.CQ, error) {
	if ch.ctx.options.ArrivalDelay == nil {
		inner, err := wait(timeout)
		if q := ch.of(inner); q != nil {
			return q, err
		}
		return inner, err
	}
	for end := time.Now().Add(timeout); ; {
		if q, due := ch.soonest(); q != nil {
			if ch.ctx.options.Clock == nil && time.Duration(due-realNow()) > time.Until(end) {
				time.Sleep(time.Until(end))
				return nil, verbs.ErrTimeout
			}
			ch.ctx.reach(due)
			if q.raise() {
				return q, nil
			}
			continue
		}
		inner, err := wait(time.Until(end))
		if err != nil {
			return nil, err
		}
		inner.AckEvents(1)
		if q := ch.of(inner); q != nil {
			if late, err := q.noticed(); err != nil || !late && q.raise() {
				return q, err
			}
		}
	}
}

// soonest returns the armed CQ with the earliest delayed completion, and its time.
func (ch *channel) soonest() (first *cq, due int64) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	for _, q := range ch.cqs {
		if at, ok := q.awaits(); ok && (first == nil || at < due) {
			first, due = q, at
		}
	}
	return first, due
}

// ReqNotify arms the CQ for later completions, and for delayed ones.
func (q *cq) ReqNotify(solicitedOnly bool) error {
	if q.delays() {
		q.mu.Lock()
		q.armed = true
		q.mu.Unlock()
	}
	return q.CQ.ReqNotify(solicitedOnly)
}

// noticed polls the CQ of an inner event, and reports whether it has delayed completions. If not,
// the completion was polled already.
func (q *cq) noticed() (late bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	err = q.look()
	return len(q.late) > 0, err
}

// awaits returns the time at which the CQ raises its event.
func (q *cq) awaits() (due int64, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.armed || len(q.late) == 0 {
		return 0, false
	}
	return q.late[0].due, true
}

// raise raises an event if the CQ is still armed, and reports whether it did.
func (q *cq) raise() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.armed {
		return false
	}
	q.armed = false
	q.events++
	return true
}

func (q *cq) AckEvents(n int) {
	if !q.delays() {
		q.CQ.AckEvents(n)
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.events -= n
	q.changed.Broadcast()
}

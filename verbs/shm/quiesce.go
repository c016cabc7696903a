package shm

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/quiesce"
)

// Waiting until requesters have left, see package quiesce.

// activeRequester is a requester that was executing when it was examined.
type activeRequester struct {
	qp      *qp
	peerCtx *peerContext // nil: the QP's own requester; else the requester of its peer
	num     uint32       // of the peer's QP
	seq     uint32       // its word at that time, which changes when it leaves
}

// appendOwnRequester appends the requester of the QP, if it is executing.
func (q *qp) appendOwnRequester(list []activeRequester) []activeRequester {
	if seq, executes := quiesce.Observe(&q.entry.requesterSeq); executes {
		list = append(list, activeRequester{qp: q, seq: seq})
	}
	return list
}

// appendPeerRequester appends the requester of the peer, if it is executing. A requester that
// connects at the same time begins after the change.
func (q *qp) appendPeerRequester(list []activeRequester) []activeRequester {
	t := activeRequester{qp: q, peerCtx: q.peerCtx.Load(), num: atomic.LoadUint32(&q.entry.destNum)}
	if t.peerCtx == nil {
		return list
	}
	executes := false
	if t.seq, executes = t.peerCtx.observe(t.num); executes {
		list = append(list, t)
	}
	return list
}

// observe returns the word of the peer's QP, 0 if the QP is gone, and whether its requester executes.
// The lock keeps the directory mapped.
func (r *peerContext) observe(num uint32) (seq uint32, executes bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dir == nil || r.gone.Load() {
		return 0, false
	}
	e := &r.dir.qps[numIndex(num)]
	if atomic.LoadUint32(&e.num) != num {
		return 0, false
	}
	return quiesce.Observe(&e.requesterSeq)
}

// hasLeft reports whether the requester has left since.
func (t *activeRequester) hasLeft() bool {
	var seq uint32
	if t.peerCtx == nil {
		seq, _ = quiesce.Observe(&t.qp.entry.requesterSeq)
	} else {
		seq, _ = t.peerCtx.observe(t.num)
	}
	return seq != t.seq
}

// quiesceTimeout is the time to wait for a peer. A requester takes far less, unless its process is
// stopped or it fakes its word.
const quiesceTimeout = 5 * time.Second

// An awaited request is one within which a peer's requester was found, and when that was.
type awaitedRequest struct {
	seq   uint32
	since time.Time
}

// awaitedSince returns when a call first awaited the requester's present request. All calls that await one request do so for
// quiesceTimeout together, however many they are.
func (t *activeRequester) awaitedSince() time.Time {
	r := t.peerCtx
	if r == nil {
		return time.Time{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.awaited[t.num]
	if a.since.IsZero() || a.seq != t.seq {
		a = awaitedRequest{t.seq, time.Now()}
		r.awaited[t.num] = a
	}
	return a.since
}

// forget removes the note of a request that has ended.
func (t *activeRequester) forget() {
	if r := t.peerCtx; r != nil {
		r.mu.Lock()
		delete(r.awaited, t.num)
		r.mu.Unlock()
	}
}

// awaitQuiescence returns when the requesters have left. It returns an error if a peer's requester
// is within a request that was awaited for quiesceTimeout, or when peers are abandoned.
func awaitQuiescence(list []activeRequester) error {
	since := make([]time.Time, len(list))
	for i := range list {
		since[i] = list[i].awaitedSince()
	}
	for i := range list {
		t := &list[i]
		for n := 0; !t.hasLeft(); n++ {
			switch {
			case t.peerCtx == nil:
			case t.qp.ctx.peersAbandoned.Load():
				return fmt.Errorf("the peer of QP %#x is within a request, and this context has abandoned its peers", t.qp.num)
			case time.Since(since[i]) > quiesceTimeout:
				return fmt.Errorf("the peer of QP %#x has been within one request for %v", t.qp.num, quiesceTimeout)
			}
			backOff(n)
		}
		t.forget()
	}
	return nil
}

var _ verbs.PeerAbandoner = (*context)(nil)

// AbandonPeers implements [verbs.PeerAbandoner]. From now on no call waits for the requesters of
// peers. MR.Close returns ETIMEDOUT at once where it would have waited, and a peer that resumes may
// still store the remainder of a request, at most 1 MiB, in memory that it has mapped. The caller
// therefore closes the memory of all regions and does not use it again, whatever Close returned.
func (c *context) AbandonPeers() { c.peersAbandoned.Store(true) }

// awaitPeerRequester returns when the peer's requester no longer uses this QP's memory. A requester
// that begins later finds the QP's new state, which it reads after it has changed its word. An
// error means that the requester may still use the memory.
func (q *qp) awaitPeerRequester() error { return awaitQuiescence(q.appendPeerRequester(nil)) }

// activeRequesters returns the executing requesters that add appends for each QP. When they have
// left, no requester relies on what the tables held before the last counted change.
func (c *context) activeRequesters(add func(*qp, []activeRequester) []activeRequester) (list []activeRequester) {
	for _, q := range c.qps.all() {
		list = add(q, list)
	}
	return list
}

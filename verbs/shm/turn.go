package shm

import (
	"fmt"
	"sync/atomic"
	"time"
)

// Waits until requesters are out. Whoever ends something that requesters use takes it out
// of the tables and counts a change first; those that are at work then may have looked
// before, and each is waited for until it has been out once.

// turn is a requester that was at work when it was looked at.
type turn struct {
	qp     *qp
	remote *remote // nil: the requester is the QP's own; else it is that of its peer there
	num    uint32  // of the peer's QP
	was    uint32  // its word, which changes when it is out; see lock
}

// turns appends the requesters of the QP and of its peer, as far as they are at work.
func (q *qp) turns(list []turn) []turn { return q.peerTurn(q.ownTurn(list)) }

// ownTurn appends the requester of the QP, if it is at work.
func (q *qp) ownTurn(list []turn) []turn {
	if was := atomic.LoadUint32(&q.entry.turns); was&1 != 0 {
		list = append(list, turn{qp: q, was: was})
	}
	return list
}

// peerTurn appends the requester of the peer, if it is at work. One that is connected
// while this looks begins after the change that is waited for.
func (q *qp) peerTurn(list []turn) []turn {
	t := turn{qp: q, remote: q.remote.Load(), num: atomic.LoadUint32(&q.entry.destNum)}
	if t.remote == nil {
		return list
	}
	if t.was = t.remote.turns(t.num); t.was&1 != 0 {
		list = append(list, t)
	}
	return list
}

// turns returns the word of the peer's QP, 0 if it is gone. Its directory goes with the
// last QP that is connected there: it is looked at under the lock.
func (r *remote) turns(num uint32) uint32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dir == nil || r.dead.Load() {
		return 0
	}
	e := &r.dir.qps[numIndex(num)]
	if atomic.LoadUint32(&e.num) != num {
		return 0
	}
	return atomic.LoadUint32(&e.turns)
}

// over tells whether the requester has been out since.
func (t *turn) over() bool {
	if t.remote == nil {
		return atomic.LoadUint32(&t.qp.entry.turns) != t.was
	}
	return t.remote.turns(t.num) != t.was
}

// outTimeout is how long a peer is waited for. What it does meanwhile takes far less,
// unless its process has been stopped or it keeps the word as it is.
const outTimeout = 5 * time.Second

// await returns when the requesters have been out. The error tells of a peer that was
// not until the deadline, or until peers were abandoned.
func await(list []turn) error {
	deadline := time.Now().Add(outTimeout)
	for i := range list {
		t := &list[i]
		for n := 0; !t.over(); n++ {
			switch {
			case t.remote == nil:
			case t.qp.ctx.abandoned.Load():
				return fmt.Errorf("the peer of QP %#x is within a request, and was given up as lost", t.qp.num)
			case time.Now().After(deadline):
				return fmt.Errorf("the peer of QP %#x has been within one request for %v", t.qp.num, outTimeout)
			}
			giveWay(n)
		}
	}
	return nil
}

// AbandonPeers says that the processes of all peers are lost, as a control channel finds out of one
// that is stopped: from now on nothing waits for their requesters. MR.Close returns ETIMEDOUT at
// once where it would have waited, and a peer that goes on after all may store the rest of a
// request, at most 1 MiB, in memory that it has mapped. So the memory of all regions is to be
// closed and not used again, whatever their Close has returned.
func (c *context) AbandonPeers() { c.abandoned.Store(true) }

// awaitPeerOut returns when the peer's requester does not work in this QP's memory any
// more: it looks at the state after it has changed its word. The error tells of one that may do so.
func (q *qp) awaitPeerOut() error { return await(q.peerTurn(nil)) }

// turns returns the requesters at work that of appends for each QP: ownTurn, peerTurn or both. When
// they have been out, none works with what it found in the tables before the last change was counted.
func (c *context) turns(of func(*qp, []turn) []turn) (list []turn) {
	for _, q := range c.qps.all() {
		list = of(q, list)
	}
	return list
}

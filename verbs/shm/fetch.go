package shm

import "github.com/ibperf/ibperf/internal/place"

// The requester's side of a peer that takes from shared receive queues; see feed.go.

// noReceive tells what to do when no receive is there.
func (q *qp) noReceive(p *peer) outcome {
	if p.sharing {
		return q.fetch(p)
	}
	return notReady
}

// fetch asks for a receive, once, and tells what to do until it is there.
func (q *qp) fetch(p *peer) outcome {
	if !p.asked {
		p.asked = true
		q.asks++
		p.remote.await(q)
		p.tell(askReceive, q.asks)
		return asked
	}
	if q.note.Load() == uint64(q.asks)<<32|noteEmpty {
		return notReady
	}
	return asked
}

// answered tells whether the note has come.
func (q *qp) answered() bool { return uint32(q.note.Load()>>32) == q.asks }

// storeShared publishes a record. The owner's device makes a completion of it, so
// it must be told.
func (p *peer) storeShared(rec *record, w0, w1 uint64, solicited bool) {
	if solicited {
		w1 |= recSolicited
	}
	place.Publish((*[2]uint64)(rec[:]), w0, w1)
	p.asked = false
	p.tell(askCollect, 0)
}

// withdraw gives back what was asked for and not taken; under lock.
func (q *qp) withdraw() {
	if p := q.peer; p != nil && p.asked {
		p.asked = false
		p.tell(askReturn, 0)
	}
}

// tell sends the owner of the peer's QP a word about it.
func (p *peer) tell(op askOp, serial uint32) {
	p.remote.send(request{op: op, arg: p.num, srq: p.srq, epoch: p.epoch, serial: serial})
}

// await makes a note for the QP wake its requester.
func (r *remote) await(q *qp) {
	r.mu.Lock()
	r.waiting[q.num] = q
	r.mu.Unlock()
}

// noted passes a note on to the QP that waits for it.
func (r *remote) noted(rep reply) {
	r.mu.Lock()
	q := r.waiting[rep.n]
	r.mu.Unlock()
	if q != nil {
		q.note.Store(uint64(rep.serial)<<32 | uint64(rep.note))
		q.ctx.engine.wake(q)
	}
}

// unawait forgets a QP that goes.
func (r *remote) unawait(q *qp) {
	r.mu.Lock()
	delete(r.waiting, q.num)
	r.mu.Unlock()
}

package shm

import "github.com/ibperf/ibperf/verbs"

// transfer is a request whose data goes between the two sides, and what it needs to look
// again whether it may.
type transfer struct {
	p     *peer
	w     *work
	n     uint64
	right verbs.Access // to the memory that the request names at the peer; 0: a receive names it
	sges  []verbs.SGE  // of that receive
}

// chunk is how much is copied before the requester looks whether it may go on. So who
// deregisters memory waits for one chunk, as does the garbage collector, which cannot
// stop a copy.
const chunk = 1 << 20

// transfer looks for the memory of the request and copies, in chunks. It ends in the
// middle when the memory is deregistered, or the peer leaves the connection.
func (q *qp) transfer(t *transfer) (outcome, verbs.WCStatus) {
	out, status := q.here(t.p, t.w, t.n, q.findFar(t))
	var near, far cursor
	for left, part := t.n, uint64(0); left > 0 && out == done && status == verbs.WCSuccess; {
		if !q.pass.current() {
			out, status = q.again(t)
			continue
		}
		left -= q.addChunk(t, &near, &far, left)
		q.place(uint64(t.w.place) + part<<32)
		part++
	}
	return out, status
}

// addChunk adds the next pieces of the message, up to a chunk that ends with a block of 128
// bytes where the message does not end, and returns how long they are together.
func (q *qp) addChunk(t *transfer, near, far *cursor, left uint64) (n uint64) {
	for n < min(left, chunk) {
		dst, src := far.rest(q.far), near.rest(q.pieces)
		if t.w.op == verbs.OpRDMARead {
			dst, src = src, dst
		}
		at := addressOf(dst)
		m := min(uint64(len(dst)), uint64(len(src)), left-n)
		if room := chunk - n; m > room {
			over := (at + room) % 128
			if over >= room {
				return n // what is left of the chunk does not reach the end of a block
			}
			m = room - over
		}
		q.add(dst[:m], src[:m], at)
		near.at, far.at, n = near.at+int(m), far.at+int(m), n+m
	}
	return n
}

// again looks at everything anew that the request goes by, after a change.
func (q *qp) again(t *transfer) (outcome, verbs.WCStatus) {
	p, epoch := t.p, t.p.epoch
	q.renew()
	if q.reach() != p || p.epoch != epoch {
		return silent, 0
	}
	if p.xrcd != 0 && !p.aim(t.w.srq) {
		return done, verbs.WCRemInvReqErr
	}
	if _, status := q.gather(t.w); status != verbs.WCSuccess {
		return done, status
	}
	return q.here(t.p, t.w, t.n, q.findFar(t))
}

// here passes on the status of a lookup of the peer's memory, unless that failed while a
// note of earlier regions took the memory away: then it is asked for again.
func (q *qp) here(p *peer, w *work, n uint64, status verbs.WCStatus) (outcome, verbs.WCStatus) {
	if status != verbs.WCSuccess && p.remote.closures.Load() != q.closures && !q.regionsHere(p, w, n) {
		return unanswered, 0
	}
	return done, status
}

// findFar finds the peer's memory of the request: q.far holds it in order.
func (q *qp) findFar(t *transfer) verbs.WCStatus {
	p, w := t.p, t.w
	q.far = q.far[:0]
	if t.right != 0 {
		b, status := q.target(p, w, t.n, t.right)
		q.far = append(q.far, b)
		return status
	}
	left := t.n
	for _, s := range t.sges {
		if left == 0 {
			break
		}
		if s.Length == 0 {
			continue
		}
		b := p.remote.memory(&p.scatter, s.LKey, p.recvPD, s.Addr, uint64(s.Length), verbs.AccessLocalWrite)
		if b == nil {
			return verbs.WCRemOpErr
		}
		q.far = append(q.far, b)
		left -= min(left, uint64(s.Length))
	}
	return verbs.WCSuccess
}

// cursor is a place in a list of pieces of memory.
type cursor struct{ piece, at int }

// rest returns what is left of the piece at the cursor, or of the next one that is not empty.
func (c *cursor) rest(list [][]byte) []byte {
	for c.at == len(list[c.piece]) {
		c.piece, c.at = c.piece+1, 0
	}
	return list[c.piece][c.at:]
}

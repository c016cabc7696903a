package shm

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/ibperf/ibperf/internal/place"
	"github.com/ibperf/ibperf/verbs"
)

// chunk is how much is copied before the requester looks whether it may go on. So who
// deregisters memory waits for one chunk, as does the garbage collector, which cannot
// stop a copy.
const chunk = 1 << 20

// move copies n bytes between q.near and q.far, in chunks. It ends in the
// middle when the memory is deregistered, or the peer leaves the connection.
func (q *qp) move(p *peer, wr *verbs.SendWR, k *kind, n uint64, number uint32) (outcome, verbs.WCStatus) {
	if len(q.far) == 1 && len(q.near) == 1 && n <= chunk && q.ctx.dev.place == ascending {
		dst, src := q.far[0], q.near[0]
		if k.near == nearTo {
			dst, src = src, dst
		}
		place.Ordered(dst[:n], src[:n])
		return done, verbs.WCSuccess
	}
	var near, far cursor
	for left, part := n, uint64(0); left > 0; part++ {
		if part > 0 && !q.known.current() {
			if out, status := q.lookAgain(p, wr, k, n); out != done || status != verbs.WCSuccess {
				return out, status
			}
			near, far = after(q.near, n-left), after(q.far, n-left)
		}
		left -= q.addChunk(k, &near, &far, left)
		q.place(uint64(number) + part<<32)
	}
	return done, verbs.WCSuccess
}

// lookAgain looks at everything anew that the request goes by, after a change.
func (q *qp) lookAgain(p *peer, wr *verbs.SendWR, k *kind, n uint64) (outcome, verbs.WCStatus) {
	epoch := p.epoch
	q.renew()
	if now, out := q.reach(); now != p || p.epoch != epoch {
		return max(out, silent), 0
	}
	q.known.peer = p
	if p.xrcd != 0 {
		if out := q.selectSRQ(p, wr.XRC()); out != done {
			return out, verbs.WCRemInvReqErr
		}
	}
	if _, status := q.gather(wr, k); status != verbs.WCSuccess {
		return done, status
	}
	return q.findFar(p, wr, k, n)
}

// cursor is a place in a list of pieces of memory.
type cursor struct{ piece, at int }

// after is the place behind the first n bytes of a list. What was found anew has other pieces, if
// a peer has changed its receive.
func after(list [][]byte, n uint64) (c cursor) {
	for ; n > uint64(len(list[c.piece])); c.piece++ {
		n -= uint64(len(list[c.piece]))
	}
	c.at = int(n)
	return c
}

// rest returns what is left of the piece at the cursor, or of the next one.
func (c *cursor) rest(list [][]byte) []byte {
	if c.at == len(list[c.piece]) {
		c.piece, c.at = c.piece+1, 0
	}
	return list[c.piece][c.at:]
}

// addChunk adds the next pieces of the message, up to a chunk that ends with a block of 128
// bytes where the message does not end, and returns how long they are together.
func (q *qp) addChunk(k *kind, near, far *cursor, left uint64) (n uint64) {
	for n < min(left, chunk) {
		dst, src := far.rest(q.far), near.rest(q.near)
		if k.near == nearTo {
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
		q.message = append(q.message, place.Piece{Dst: dst[:m], Src: src[:m], Base: at})
		near.at, far.at, n = near.at+int(m), far.at+int(m), n+m
	}
	return n
}

// place stores the pieces that were added, in the order of the device. Where it shuffles
// the order follows from the number of the message.
func (q *qp) place(number uint64) {
	s := q.shuffler.Of(number)
	switch q.ctx.dev.place {
	case ascending:
		for i := range q.message {
			place.Ordered(q.message[i].Dst, q.message[i].Src)
		}
	case blocks:
		s.Blocks(q.message)
	default:
		s.Bytes(q.message)
	}
	q.message = q.message[:0]
}

// wordSize is the size of what atomic operations work on.
const wordSize = 8

// atomic carries out an atomic operation on q.far. It is an instruction of this CPU on the
// memory that both processes share, so it is atomic with all that they do to it.
func (q *qp) atomic(wr *verbs.SendWR) (outcome, verbs.WCStatus) {
	word := wordOf(q.far[0])
	if word == nil {
		return refused, verbs.WCRemInvReqErr // a peer that tells of memory that lies askew
	}
	_, _, compareAdd, swap := wr.Atomic()
	var old [wordSize]byte
	if wr.Opcode == verbs.OpAtomicFetchAndAdd {
		binary.NativeEndian.PutUint64(old[:], atomic.AddUint64(word, compareAdd)-compareAdd)
	} else {
		binary.NativeEndian.PutUint64(old[:], compareAndSwap(word, compareAdd, swap))
	}
	src := old[:]
	for _, dst := range q.near {
		place.Ordered(dst, src[:len(dst)])
		src = src[len(dst):]
	}
	return done, verbs.WCSuccess
}

// compareAndSwap returns what was in the word: if it is compare, swap is there now.
func compareAndSwap(word *uint64, compare, swap uint64) uint64 {
	for {
		if old := atomic.LoadUint64(word); old != compare {
			return old
		}
		if atomic.CompareAndSwapUint64(word, compare, swap) {
			return compare
		}
	}
}

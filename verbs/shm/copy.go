package shm

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/store"
)

// chunkSize is the number of bytes that the requester copies between two checks of the change
// counters. Deregistration waits for at most one chunk, as does the garbage collector, which cannot
// stop a copy.
const chunkSize = 1 << 20

// copyData copies n bytes between q.localMem and q.remoteMem, in chunks. It stops between chunks
// when the memory is deregistered or the peer leaves the connection.
func (q *qp) copyData(p *peerQP, wr *verbs.SendWR, k *opKind, n uint64, number uint32) (outcome, verbs.WCStatus) {
	order := q.placementOf(k)
	if len(q.remoteMem) == 1 && len(q.localMem) == 1 && n <= chunkSize && order == ascending {
		dst, src := q.remoteMem[0], q.localMem[0]
		if k.local == localDest {
			dst, src = src, dst
		}
		store.Ordered(dst[:n], src[:n])
		return done, verbs.WCSuccess
	}
	var localAt, remoteAt cursor
	for left, part := n, uint64(0); left > 0; part++ {
		if part > 0 && !q.cache.valid() {
			if out, status := q.revalidate(p, wr, k, n); out != done || status != verbs.WCSuccess {
				return out, status
			}
			localAt, remoteAt = cursorAfter(q.localMem, n-left), cursorAfter(q.remoteMem, n-left)
		}
		left -= q.addChunk(k, &localAt, &remoteAt, left)
		q.storePieces(order, uint64(number)+part<<32)
	}
	return done, verbs.WCSuccess
}

// revalidate repeats the checks of the request and refills localMem and remoteMem, after a change.
func (q *qp) revalidate(p *peerQP, wr *verbs.SendWR, k *opKind, n uint64) (outcome, verbs.WCStatus) {
	epoch := p.epoch
	q.refreshCache()
	if now, out := q.reachPeer(); now != p || p.epoch != epoch {
		return max(out, noResponse), 0
	}
	q.cache.peer = p
	if p.xrcd != 0 {
		if out := q.selectSRQ(p, wr.XRC()); out != done {
			return out, verbs.WCRemInvReqErr
		}
	}
	if _, status := q.resolveLocal(wr, k); status != verbs.WCSuccess {
		return done, status
	}
	return q.resolveRemote(p, wr, k, n)
}

// cursor is a position in a list of pieces of memory.
type cursor struct{ piece, at int }

// cursorAfter returns the position after the first n bytes of a list. The pieces may differ from
// those before revalidate, if a peer has changed its receive.
func cursorAfter(list [][]byte, n uint64) (c cursor) {
	for ; n > uint64(len(list[c.piece])); c.piece++ {
		n -= uint64(len(list[c.piece]))
	}
	c.at = int(n)
	return c
}

// remaining returns the remainder of the piece at the cursor, or the next piece.
func (c *cursor) remaining(list [][]byte) []byte {
	if c.at == len(list[c.piece]) {
		c.piece, c.at = c.piece+1, 0
	}
	return list[c.piece][c.at:]
}

// addChunk adds the next pieces of the message to q.pieces and returns their length. A chunk before
// the end of the message ends at the end of a 128-byte block.
func (q *qp) addChunk(k *opKind, localAt, remoteAt *cursor, left uint64) (n uint64) {
	for n < min(left, chunkSize) {
		dst, src := remoteAt.remaining(q.remoteMem), localAt.remaining(q.localMem)
		if k.local == localDest {
			dst, src = src, dst
		}
		at := addressOf(dst)
		m := min(uint64(len(dst)), uint64(len(src)), left-n)
		if room := chunkSize - n; m > room {
			over := (at + room) % 128
			if over >= room {
				return n // the remainder of the chunk ends before the block does
			}
			m = room - over
		}
		q.pieces = append(q.pieces, store.Piece{Dst: dst[:m], Src: src[:m], Base: at})
		localAt.at, remoteAt.at, n = localAt.at+int(m), remoteAt.at+int(m), n+m
	}
	return n
}

// placementOf returns the order in which data is stored in the memory of the last SGE that was looked up.
func (q *qp) placementOf(k *opKind) placement {
	dest := &q.cache.remote[k.remote]
	if k.local == localDest {
		dest = &q.cache.local[localDest]
	}
	return q.ctx.dev.placementIn(dest)
}

// storePieces stores q.pieces in an order, which the number of the message determines if it is shuffled.
func (q *qp) storePieces(order placement, number uint64) {
	s := q.shuffler.Of(number)
	switch order {
	case ascending:
		for i := range q.pieces {
			store.Ordered(q.pieces[i].Dst, q.pieces[i].Src)
		}
	case blocks:
		s.Blocks(q.pieces)
	default:
		s.Bytes(q.pieces)
	}
	q.pieces = q.pieces[:0]
}

// wordSize is the size of the operand of an atomic operation.
const wordSize = 8

// atomic executes an atomic operation on q.remoteMem. It is a CPU instruction on memory that both
// processes share, so it is atomic with respect to both.
func (q *qp) atomic(wr *verbs.SendWR) (outcome, verbs.WCStatus) {
	word := wordOf(q.remoteMem[0])
	if word == nil {
		return remoteNAK, verbs.WCRemInvReqErr // a peer has published misaligned memory
	}
	_, _, compareAdd, swap := wr.Atomic()
	var old [wordSize]byte
	if wr.Opcode == verbs.OpAtomicFetchAndAdd {
		binary.NativeEndian.PutUint64(old[:], atomic.AddUint64(word, compareAdd)-compareAdd)
	} else {
		binary.NativeEndian.PutUint64(old[:], compareAndSwap(word, compareAdd, swap))
	}
	q.storeWord(old[:])
	return done, verbs.WCSuccess
}

// storeWord stores the result of an atomic operation in q.localMem.
func (q *qp) storeWord(word []byte) {
	for _, dst := range q.localMem {
		store.Ordered(dst, word[:len(dst)])
		word = word[len(dst):]
	}
}

// compareAndSwap stores swap in the word if its value is compare, and returns the previous value.
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

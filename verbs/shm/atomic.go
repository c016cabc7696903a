package shm

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
)

// wordSize is the size of what atomic operations work on.
const wordSize = 8

// operands are those of an atomic operation; see [verbs.SendWR.SetAtomic].
type operands struct{ compareAdd, swap uint64 }

// atomic carries out an atomic operation. It is an instruction of this CPU on the
// memory that both processes share, so it is atomic with all that they do to it.
func (q *qp) atomic(p *peer, w *work) verbs.WCStatus {
	if atomic.LoadUint32(&p.entry.destRdAtom) == 0 {
		return verbs.WCRemInvReqErr
	}
	b, status := q.target(p, w, wordSize, verbs.AccessRemoteAtomic)
	if status != verbs.WCSuccess {
		return status
	}
	word := wordOf(b)
	if word == nil {
		return verbs.WCRemInvReqErr // a peer that tells of memory that lies askew
	}
	var old [wordSize]byte
	if w.op == verbs.OpAtomicFetchAndAdd {
		binary.NativeEndian.PutUint64(old[:], atomic.AddUint64(word, w.word.compareAdd)-w.word.compareAdd)
	} else {
		binary.NativeEndian.PutUint64(old[:], compareAndSwap(word, w.word.compareAdd, w.word.swap))
	}
	q.scatter(w, old[:])
	return verbs.WCSuccess
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

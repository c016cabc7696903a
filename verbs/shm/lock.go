package shm

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Locks of the data path, and the waits for those who have them.

// spinLock is a lock for a few instructions. To give it back is a plain store, where
// sync.Mutex takes another locked instruction.
type spinLock struct {
	word uint32
	seen seen
}

func (l *spinLock) Lock() {
	for turn := 0; !atomic.CompareAndSwapUint32(&l.word, 0, 1); turn++ {
		giveWay(turn)
	}
	l.seen.Lock()
}

func (l *spinLock) Unlock() {
	l.seen.Unlock()
	release(&l.word, 0)
}

// lock takes the requester. The word is in the directory: the peer waits for it
// to clear before it declares its receive queue ended.
func (q *qp) lock() {
	for turn := 0; !q.tryLock(); turn++ {
		giveWay(turn)
	}
}

// tryLock is lock if the requester is not at work.
func (q *qp) tryLock() bool {
	if !atomic.CompareAndSwapUint32(&q.entry.busy, 0, 1) {
		return false
	}
	q.seen.Lock()
	return true
}

// unlock gives the requester back, and tells the send CQ if work has begun or ceased
// to wait for those who poll it.
func (q *qp) unlock() {
	if waits := q.pendHead != q.pendTail && !q.engineOnly(q.slot(q.pendHead)); waits != q.waits {
		q.waits = waits
		q.sendCQ.stall(q, waits)
	}
	q.leave()
}

// leave is unlock where nothing can have begun or ceased to wait.
func (q *qp) leave() {
	q.seen.Unlock()
	release(&q.entry.busy, 0)
}

const outTimeout = time.Second

// awaitPeerOut returns when the peer's requester does not work in this QP's
// memory any more: it looks at the state after it set its busy word.
func (q *qp) awaitPeerOut() { q.remote.awaitOut(q.attr.DestQPNum) }

// awaitOut returns when no requester, of this side or of the peer's, works with what
// it found in the tables before the call.
func (q *qp) awaitOut() {
	q.lock()
	r, num := q.remote, q.attr.DestQPNum
	q.unlock()
	r.awaitOut(num)
}

// awaitOut returns when the requester of the peer's QP is not at work, or has been
// out of it since. A peer that died or keeps the word set is not waited for.
func (r *remote) awaitOut(num uint32) {
	if r == nil {
		return
	}
	e := &r.dir.qps[numIndex(num)]
	turn, deadline := 0, time.Now().Add(outTimeout)
	for atomic.LoadUint32(&e.num) == num && atomic.LoadUint32(&e.busy) != 0 &&
		!r.dead.Load() && time.Now().Before(deadline) {
		giveWay(turn)
		turn++
	}
}

// giveWay lets others run in the turn-th round of a wait: other goroutines, and now
// and then other threads, since the one waited for may want this very CPU.
func giveWay(turn int) {
	if turn%16 == 15 {
		time.Sleep(10 * time.Microsecond)
	} else {
		runtime.Gosched()
	}
}

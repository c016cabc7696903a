package shm

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/verbs/internal/store"
	"github.com/ibperf/ibperf/verbs/shm/internal/lockorder"
	"github.com/ibperf/ibperf/verbs/shm/internal/quiesce"
)

// Locks of the data path.

// spinLock is a lock for critical sections of a few instructions. Unlock is a plain store, where
// sync.Mutex needs a second locked instruction.
type spinLock struct {
	word     uint32
	raceLock raceLock
}

func (l *spinLock) Lock() {
	if !atomic.CompareAndSwapUint32(&l.word, 0, 1) {
		l.await()
	}
	l.raceLock.Lock()
}

// await acquires the lock when it is free. Lock is inlined without it.
//
//go:noinline
func (l *spinLock) await() {
	for round := 0; !atomic.CompareAndSwapUint32(&l.word, 0, 1); round++ {
		backOff(round)
	}
}

func (l *spinLock) Unlock() {
	l.raceLock.Unlock()
	store.Release32(&l.word, 0)
}

// cqLock is the lock of a CQ.
type cqLock struct{ spin spinLock }

func (l *cqLock) Lock() {
	lockorder.Acquire(lockorder.CQ{})
	l.spin.Lock()
}

func (l *cqLock) Unlock() {
	lockorder.Release(lockorder.CQ{})
	l.spin.Unlock()
}

// lock acquires the QP's requester. Its word is in the directory, where the peer reads it too: see
// package quiesce.
func (q *qp) lock() {
	lockorder.Check(lockorder.Requester{})
	for round := 0; !q.tryLock(); round++ {
		backOff(round)
	}
}

// tryLock acquires the requester if it is free, and reports whether it has.
func (q *qp) tryLock() bool {
	if !quiesce.TryEnter(&q.entry.requesterSeq) {
		return false
	}
	q.raceLock.Lock()
	lockorder.Held(lockorder.Requester{})
	return true
}

// unlock ends the batch and releases the requester. It reports to the send CQ whether pollers have
// work to do for the QP, and then runs what must run without the lock.
func (q *qp) unlock() {
	q.endBatch()
	if hasPending := q.pendHead != q.pendTail && (!q.engineOnly(&q.pendingAt(q.pendHead).wr) || oneThread()); hasPending != q.pendingNoted {
		q.pendingNoted = hasPending
		q.sendCQ.setPending(q, hasPending)
	}
	then, generation := q.afterUnlock, q.generation.Load()
	q.afterUnlock = 0
	lockorder.Release(lockorder.Requester{})
	q.raceLock.Unlock()
	quiesce.Leave(&q.entry.requesterSeq)
	if then != 0 {
		q.runAfterUnlock(then, generation)
	}
}

// Bits of qp.afterUnlock.
const (
	failQP           = 1 << iota // a request has failed: move the QP to ERR
	signalDelayTimer             // wake the engine by its delay timer
)

func (q *qp) runAfterUnlock(then uint8, generation uint32) {
	if then&signalDelayTimer != 0 {
		q.ctx.engine.delayTimer.signal()
	}
	if then&failQP != 0 {
		q.fail(generation)
	}
}

// backOff yields in round number round of a wait: to other goroutines, and in every 16th round to
// other threads, since the one waited for may need this CPU.
func backOff(round int) {
	if round%16 == 15 {
		time.Sleep(10 * time.Microsecond)
	} else {
		runtime.Gosched()
	}
}

// relaxedCounter is a number that any thread may read and that the holder of a lock writes. Its
// stores have release semantics only. On amd64 a Store of sync/atomic is an XCHG, a full barrier of
// some 6 ns.
type relaxedCounter struct{ v uint32 }

func (t *relaxedCounter) Load() uint32   { return atomic.LoadUint32(&t.v) }
func (t *relaxedCounter) Store(v uint32) { store.Release32(&t.v, v) }

// Add is for counters with concurrent writers.
func (t *relaxedCounter) Add(n uint32) uint32 { return atomic.AddUint32(&t.v, n) }

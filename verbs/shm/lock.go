package shm

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Locks of the data path.

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

// lock takes the requester. Its word is in the directory, where the peer sees it too: it
// is odd while the requester is at work, and grows at each taking and giving back. Who
// waits for the requester to be out need not catch it there: it is enough that the word
// has changed.
func (q *qp) lock() {
	for turn := 0; !q.tryLock(); turn++ {
		giveWay(turn)
	}
}

// tryLock is lock if the requester is not at work.
func (q *qp) tryLock() bool {
	word := &q.entry.turns
	n := atomic.LoadUint32(word)
	if n&1 != 0 || !atomic.CompareAndSwapUint32(word, n, n+1) {
		return false
	}
	q.seen.Lock()
	return true
}

// unlock gives the requester back after endRun, tells the send CQ if work has begun or ceased
// to wait for those who poll it, and then does what is to be done without the lock.
func (q *qp) unlock() {
	q.endRun()
	if waits := q.pendHead != q.pendTail && !q.engineOnly(&q.slot(q.pendHead).wr); waits != q.waits {
		q.waits = waits
		q.sendCQ.noteWaiting(q, waits)
	}
	then, life := q.then, q.life.Load()
	q.then = 0
	q.seen.Unlock()
	release(&q.entry.turns, atomic.LoadUint32(&q.entry.turns)+1)
	if then != 0 {
		q.unlocked(then, life)
	}
}

// What unlock does afterwards, by a bit each.
const (
	endQP       = 1 << iota // a request has failed
	rouseEngine             // by its alarm
)

func (q *qp) unlocked(then uint8, life uint32) {
	if then&rouseEngine != 0 {
		q.ctx.engine.alarm.rouse()
	}
	if then&endQP != 0 {
		q.fail(life)
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

package shm

import (
	"runtime"
	"sync/atomic"
	"time"
)

// tally is a number that anybody may read and that the holder of a lock writes. It is
// stored with release semantics alone; sync/atomic's Store on amd64 is an exchange,
// a full barrier of some 6 ns.
type tally struct{ v uint32 }

func (t *tally) Load() uint32   { return atomic.LoadUint32(&t.v) }
func (t *tally) Store(v uint32) { release(&t.v, v) }

// Add is for those with more than one writer at a time.
func (t *tally) Add(n uint32) uint32 { return atomic.AddUint32(&t.v, n) }

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

// giveWay lets others run in the turn-th round of a wait: other goroutines, and now
// and then other threads, since the one waited for may want this very CPU.
func giveWay(turn int) {
	if turn%16 == 15 {
		time.Sleep(10 * time.Microsecond)
	} else {
		runtime.Gosched()
	}
}

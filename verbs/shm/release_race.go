//go:build race

package shm

import (
	"sync"
	"sync/atomic"
)

// release stores v after everything that this thread stored before.
func release(word *uint32, v uint32) { atomic.StoreUint32(word, v) }

// seen shows a critical section to the race detector, which does not look at
// words in mapped memory.
type seen struct{ sync.Mutex }

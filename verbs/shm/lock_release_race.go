//go:build race

package shm

import (
	"sync"
	"sync/atomic"
)

// release stores v after all earlier stores of this thread.
func release(word *uint32, v uint32) { atomic.StoreUint32(word, v) }

// raceLock makes a critical section visible to the race detector, which does not track words in
// mapped memory.
type raceLock struct{ sync.Mutex }

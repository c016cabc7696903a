//go:build race

package shm

import "sync"

// raceLock makes a critical section visible to the race detector, which does not track words in
// mapped memory.
type raceLock struct{ sync.Mutex }

//go:build !lockorder

package lockorder

import "sync"

// Mutex is a mutex of a kind.
type Mutex[K Kind] struct{ sync.Mutex }

// Check notes that this thread waits for a lock of a kind.
func Check(Kind) {}

// Held notes that this thread has acquired a lock.
func Held(Kind) {}

// Acquire is Check and Held at once, before the thread waits.
func Acquire(Kind) {}

// Release notes that this thread releases a lock.
func Release(Kind) {}

// Package quiesce lets a thread that ends an object wait until no requester uses the object any more.
//
// A requester has a word, which is odd while it executes, and keeps copies of what it has read in the tables. A thread that
// ends an object
//
//  1. removes the object from the tables,
//  2. announces the change,
//  3. observes the word of each requester, and
//  4. waits until each word that was odd has changed.
//
// A requester enters, and then asks whether a change was announced since it filled its copies. If so, it restarts, reads the
// number of changes, and fills them again. So either it sees the change, or it is observed and awaited.
package quiesce

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs/internal/store"
	"github.com/ibperf/ibperf/verbs/shm/internal/interleave"
)

// TryEnter begins an execution of the requester with the word if none is in progress, and reports whether it has.
func TryEnter(word *uint32) bool {
	interleave.Step()
	n := atomic.LoadUint32(word)
	if n&1 != 0 {
		return false
	}
	interleave.Step()
	return atomic.CompareAndSwapUint32(word, n, n+1)
}

// Leave ends the execution.
func Leave(word *uint32) {
	interleave.Step()
	store.Release32(word, atomic.LoadUint32(word)+1)
}

// Restart leaves and enters at once: threads that wait for the requester wait no longer, so it uses nothing any more that it
// has read before.
func Restart(word *uint32) {
	interleave.Step()
	atomic.AddUint32(word, 2)
}

// Observe returns the value of a word, and whether its requester executes. When the value is another one, the requester has
// left.
func Observe(word *uint32) (seq uint32, executes bool) {
	interleave.Step()
	seq = atomic.LoadUint32(word)
	return seq, seq&1 != 0
}

// Announce counts a change of the tables.
func Announce(changes *uint64) {
	interleave.Step()
	atomic.AddUint64(changes, 1)
}

// Changes returns the number of changes.
func Changes(changes *uint64) uint64 {
	interleave.Step()
	return atomic.LoadUint64(changes)
}

// Difference returns 0 if no change was announced since there were n.
func Difference(changes *uint64, n uint64) uint64 {
	interleave.Step()
	return atomic.LoadUint64(changes) ^ n
}

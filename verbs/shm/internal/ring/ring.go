// Package ring is how two processes use a ring of receives: the owner, which posts and polls them, and a peer, which
// completes them.
//
// The owner stores what describes receive i in its slot, i modulo the size, and then the number of posted receives. The peer
// reads that number, and of a posted receive the slot; it stores the data and then the record of the receive. The owner polls
// the record of its next receive until that has its number; then the data is there, and the slot may be posted again. The
// numbers wrap around.
package ring

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs/internal/store"
	"github.com/ibperf/ibperf/verbs/shm/internal/interleave"
)

// NumberAt is the bit of a record's second word at which the number of the receive plus one begins.
const NumberAt = 32

// A Record is two words about a completed receive. The store of the second one, which has the number, publishes it.
type Record [2]uint64

// Post stores the number of posted receives, whose slots are stored.
func Post(posted *uint32, n uint32) {
	interleave.Step()
	store.Release32(posted, n)
}

// Posted returns the number of posted receives.
func Posted(posted *uint32) uint32 {
	interleave.Step()
	return atomic.LoadUint32(posted)
}

// Second returns the second word of the record of receive i.
func Second(w uint64, i uint32) uint64 { return w | uint64(i+1)<<NumberAt }

// Publish stores the record of a receive whose data is stored.
func (r *Record) Publish(w0, second uint64) {
	interleave.Step()
	store.Publish((*[2]uint64)(r), w0, second)
}

// PublishFenced is Publish with a full fence at the end: what the thread reads after it is newer than the record.
func (r *Record) PublishFenced(w0, second uint64) {
	interleave.Step()
	atomic.StoreUint64(&r[0], w0)
	interleave.Step()
	atomic.StoreUint64(&r[1], second)
}

// Published returns the second word, and whether it is that of receive i.
func (r *Record) Published(i uint32) (second uint64, published bool) {
	interleave.Step()
	second = atomic.LoadUint64(&r[1])
	return second, uint32(second>>NumberAt) == i+1
}

// First returns the first word of a published record.
func (r *Record) First() uint64 {
	interleave.Step()
	return atomic.LoadUint64(&r[0])
}

// Number returns the number of the record's receive plus one, or 0 if the record is empty.
func (r *Record) Number() uint32 {
	interleave.Step()
	return uint32(atomic.LoadUint64(&r[1]) >> NumberAt)
}

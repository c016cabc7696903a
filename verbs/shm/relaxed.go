package shm

import "sync/atomic"

// relaxedCounter is a number that anybody may read and that the holder of a lock writes. It is
// stored with release semantics alone; sync/atomic's Store on amd64 is an exchange,
// a full barrier of some 6 ns.
type relaxedCounter struct{ v uint32 }

func (t *relaxedCounter) Load() uint32   { return atomic.LoadUint32(&t.v) }
func (t *relaxedCounter) Store(v uint32) { release(&t.v, v) }

// Add is for those with more than one writer at a time.
func (t *relaxedCounter) Add(n uint32) uint32 { return atomic.AddUint32(&t.v, n) }

//go:build !race

package store

// Publish stores w0 and then w1 to rec as two plain 8-byte stores. A reader
// on another core that loads the new rec[1] also sees the new rec[0] and
// everything this goroutine stored before the call.
//
// x86-TSO never reorders a store with an older load or store (Intel SDM vol.
// 3A, "Memory Ordering in P6 and More Recent Processor Families"), so a plain
// MOV is a release. sync/atomic's Store is sequentially consistent, which on
// amd64 takes an XCHG: a full barrier that waits for the store buffer to
// drain, some 6 ns that nothing here needs. Assembly keeps the compiler from
// moving, splitting or merging the stores.
//
//go:noescape
func Publish(rec *[2]uint64, w0, w1 uint64)

// Release32 stores v to *p as one plain 4-byte store after everything this goroutine stored before
// the call: a release, without the XCHG of sync/atomic's Store (see Publish). It does not order
// later loads of the caller with the store. A caller that publishes and then reads whether the peer
// sleeps needs sync/atomic.
//
//go:noescape
func Release32(p *uint32, v uint32)

// Release64 is Release32 for 8 bytes.
//
//go:noescape
func Release64(p *uint64, v uint64)

package harness

import (
	"encoding/binary"
	"fmt"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// Atomic operations work on the slots of the peer's ring, each of which is a number of 8
// bytes. FETCH_AND_ADD adds 1. CMP_AND_SWAP is perftest's, 0 for 0, which stores nothing
// new; with --verify it replaces the number that the operations before it have left by one
// more. So with --verify either of them brings how often the slot was worked on in the
// round, if all before it were carried out once and in order.

// atomics is what checking the results of atomic operations takes.
type atomics struct {
	base   uint64 // messages before the round
	counts result.Verify
}

// before is how many operations of the round were on message k's slot before it.
func (o *sender) before(k uint64) uint64 { return (k - o.atomics.base) / uint64(o.into.Slots()) }

// target makes a slot's request the scheme's operation on the peer's number.
func (s *scheme) target(wr *verbs.SendWR, remote uint64, rkey uint32) {
	switch s.opcode {
	case verbs.OpAtomicFetchAndAdd:
		wr.SetAtomic(remote, rkey, 1, 0)
	case verbs.OpAtomicCmpAndSwp:
		wr.SetAtomic(remote, rkey, 0, 0)
	default:
		wr.SetRDMA(remote, rkey)
	}
}

// loadAtomic makes message k ready to be checked: its result is known, and not there yet.
func (o *sender) loadAtomic(k uint64) {
	want := o.before(k)
	binary.NativeEndian.PutUint64(o.into.Slot(k), ^want)
	wr := &o.sends[k%uint64(o.slots)]
	if wr.Opcode != verbs.OpAtomicCmpAndSwp {
		return
	}
	remote, rkey, _, _ := wr.Atomic()
	wr.SetAtomic(remote, rkey, want, want+1)
}

// checkAtomic compares the result of message k with what has to come.
func (o *sender) checkAtomic(k uint64) {
	v, want, found := &o.atomics.counts, o.before(k), binary.NativeEndian.Uint64(o.into.Slot(k))
	v.Messages++
	if found == want {
		return
	}
	kind := "torn"
	switch {
	case found < want || found == ^want:
		kind = "stale"
		v.Stale++
	case found <= o.sent-o.atomics.base:
		kind = "duplicate"
		v.Duplicates++
	default:
		v.Torn++
	}
	if v.First == "" {
		v.First = fmt.Sprintf("message %d, slot %d: %s: the operation brought %#x, where the ones before it leave %#x", k, o.into.Index(k), kind, found, want)
	}
}

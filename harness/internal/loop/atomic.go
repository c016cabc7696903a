package loop

import (
	"encoding/binary"
	"fmt"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// Atomic operations change the slots of the peer's ring, each of which is a number of 8 bytes.
// FETCH_AND_ADD adds 1. CMP_AND_SWAP is perftest's: it compares with 0 and stores 0. With --verify
// it compares with the number that the operations before it have left, and stores one more. So with
// --verify both return the number of earlier operations on the slot in the round, if all of them
// were executed once and in order.

// atomics holds the state of checking atomic operations.
type atomics struct {
	base   uint64 // operations before the round
	counts result.Verify
}

// before returns the number of operations of the round on message k's slot before message k.
func (o *sender) before(k uint64) uint64 { return (k - o.atomics.base) / uint64(o.into.Slots()) }

// setRemote sets the remote address of a slot's request.
func setRemote(c *testcase.Case, wr *verbs.SendWR, remote uint64, rkey uint32) {
	switch c.Opcode {
	case verbs.OpAtomicFetchAndAdd:
		wr.SetAtomic(remote, rkey, 1, 0)
	case verbs.OpAtomicCmpAndSwp:
		wr.SetAtomic(remote, rkey, 0, 0)
	default:
		wr.SetRDMA(remote, rkey)
	}
}

// loadAtomic prepares operation k for its check: the slot holds the complement of the expected result.
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

// checkAtomic compares the result of operation k with the expected one.
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
		v.First = fmt.Sprintf("message %d, slot %d: %s: the operation returned %#x instead of %#x", k, o.into.Index(k), kind, found, want)
	}
}

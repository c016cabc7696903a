package loop

import (
	"encoding/binary"
	"math/bits"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/verbs"
)

// Over SRD messages overtake each other, and so do completions of requests: a completion does not
// imply that earlier requests are complete. A sequence counts up to the first missing one.

// sequence takes the numbers 0, 1, 2, ... in any order, each once.
type sequence struct {
	firstMissing uint64 // the smallest number that is missing
	seen         []bool // of larger numbers, modulo the length
}

// newSequence returns a sequence that takes numbers up to maxAhead above the first missing one.
func newSequence(maxAhead int) *sequence {
	return &sequence{seen: make([]bool, 1<<bits.Len(uint(maxAhead)))}
}

// take records n and reports whether it is valid: not taken before, and not too far ahead.
func (s *sequence) take(n uint64) bool {
	mask := uint64(len(s.seen) - 1)
	if n-s.firstMissing > mask || s.seen[n&mask] {
		return false
	}
	s.seen[n&mask] = true
	for s.seen[s.firstMissing&mask] {
		s.seen[s.firstMissing&mask] = false
		s.firstMissing++
	}
	return true
}

// Where messages may be lost or overtake each other, each carries the low 32 bits of its number as
// immediate data.

// setNumber writes the number of message k into its request.
func (o *sender) setNumber(k uint64) {
	binary.BigEndian.PutUint32(o.sends[k%uint64(o.slots)].Imm[:], uint32(k))
}

// numberOf returns the number of the message that a completion is for: the one that it carries,
// otherwise the next one of its QP.
func (i *receiver) numberOf(c *testcase.Case, wc *verbs.WC) uint64 {
	if !c.Numbered {
		return i.arrived
	}
	ahead := int32(binary.BigEndian.Uint32(wc.Imm[:]) - uint32(i.arrived))
	return i.arrived + uint64(int64(ahead))
}

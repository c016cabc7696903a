package loop

import "math/bits"

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

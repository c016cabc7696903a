package harness

import "math/bits"

// Over SRD messages overtake each other, and so do the completions of requests: one says
// nothing of those before it. What has come is counted up to the first that has not.

// sequence takes the numbers 0, 1, 2, ... in any order, each once.
type sequence struct {
	upTo uint64 // the first that has not come
	came []bool // of those behind it, by their numbers modulo the length
}

// newSequence returns one that takes numbers up to most ahead of the first that has not come.
func newSequence(most int) *sequence {
	return &sequence{came: make([]bool, 1<<bits.Len(uint(most)))}
}

// take notes that n has come, and tells whether it may have: not if it came before, or is too
// far ahead.
func (s *sequence) take(n uint64) bool {
	mask := uint64(len(s.came) - 1)
	if n-s.upTo > mask || s.came[n&mask] {
		return false
	}
	s.came[n&mask] = true
	for s.came[s.upTo&mask] {
		s.came[s.upTo&mask] = false
		s.upTo++
	}
	return true
}

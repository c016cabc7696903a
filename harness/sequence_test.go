package harness

import "testing"

// Numbers that come in any order count up to the first that has not come, and each once.
func TestSequence(t *testing.T) {
	s := newSequence(4)
	for i, c := range []struct {
		n    uint64
		ok   bool
		upTo uint64
	}{
		{1, true, 0}, {1, false, 0}, {2, true, 0}, {8, false, 0}, {7, true, 0}, {0, true, 3}, {0, false, 3},
		{2, false, 3}, {10, true, 3}, {11, false, 3}, {4, true, 3}, {3, true, 5}, {5, true, 6}, {6, true, 8},
	} {
		if ok := s.take(c.n); ok != c.ok || s.upTo != c.upTo {
			t.Fatalf("step %d: %d taken: %v, up to %d, want %v, %d", i, c.n, ok, s.upTo, c.ok, c.upTo)
		}
	}
}

package schedule

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func newTestSampler(n int) *Sampler { return NewSampler(n, rand.New(rand.NewPCG(1, 2))) }

// TestFullRoundsMeetAllPairs, and then all again.
func TestFullRoundsMeetAllPairs(t *testing.T) {
	for _, n := range []int{8, 9} {
		s := newTestSampler(n)
		for times := 1; times <= 2; times++ {
			for range Rounds(n) {
				wantOneTestEach(t, n, s.Full())
			}
			for p, met := range s.met {
				if met != times {
					t.Errorf("%d nodes: %v met %d times in %d circles", n, p, met, times)
				}
			}
		}
	}
}

// TestUndecidedNodesMeetOtherGoodOnes: in each retest an undecided node meets the good one that it has met least often.
func TestUndecidedNodesMeetOtherGoodOnes(t *testing.T) {
	s := newTestSampler(10)
	good := []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
	for range good {
		pairs := s.Retest([]int{0}, good, nil)
		wantOneTestEach(t, 10, pairs)
		if len(pairs) != 5 || pairs[0][0] != 0 {
			t.Fatalf("%v, want the undecided node, and four controls", pairs)
		}
	}
	for _, node := range good {
		if met := s.met[Pair{0, node}]; met != 1 {
			t.Errorf("node 0 met %d %d times in %d rounds", node, met, len(good))
		}
	}
}

// TestRetestHasLowPairsAndControls: a low pair is tested unless one of its nodes is needed by an undecided one, and
// there are at least as many controls as other tests.
func TestRetestHasLowPairsAndControls(t *testing.T) {
	const n = 100
	s := newTestSampler(n)
	var good []int
	for node := 10; node < n; node++ {
		good = append(good, node)
	}
	undecided := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	low := [][2]int{{10, 11}, {11, 12}, {13, 14}}
	pairs := s.Retest(undecided, good, low)
	wantOneTestEach(t, n, pairs)
	meeting := pairs[:len(undecided)]
	needed := func(node int) bool {
		return slices.ContainsFunc(meeting, func(p Pair) bool { return p[1] == node })
	}
	lows := 0
	for _, p := range low {
		if slices.Contains(pairs[len(undecided):], Pair(p)) {
			lows++
		} else if !needed(p[0]) && !needed(p[1]) && p[0] != 11 {
			t.Errorf("%v is not tested: %v", p, pairs)
		}
	}
	if len(pairs) != 2*(len(undecided)+lows) {
		t.Errorf("%d tests, of which %d of undecided nodes and %d of low pairs", len(pairs), len(undecided), lows)
	}
}

// TestMoreUndecidedThanGood: the good nodes are shared out, and the rest waits.
func TestMoreUndecidedThanGood(t *testing.T) {
	pairs := newTestSampler(5).Retest([]int{0, 1, 2}, []int{3, 4}, nil)
	wantOneTestEach(t, 5, pairs)
	if len(pairs) != 2 {
		t.Errorf("%v, want two pairs", pairs)
	}
}

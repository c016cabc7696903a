package schedule

import (
	"math/rand/v2"
	"testing"
)

// TestPlan: rounds of all nodes until each has met its partners or all others, then what is undecided, then none.
func TestPlan(t *testing.T) {
	for partners, want := range map[int]int{0: 0, 1: 1, 4: 4, 100: 9} {
		p, met := NewPlan(10, PatternCircle, partners, rand.New(rand.NewPCG(1, 2))), map[Pair]bool{}
		rounds := 0
		for pairs := p.Next(nil, nil, nil); pairs != nil; pairs = p.Next(nil, nil, nil) {
			rounds++
			wantOneTestEach(t, 10, pairs)
			for _, pair := range pairs {
				met[ordered(pair)] = true
			}
		}
		if rounds != want || len(met) != 5*want {
			t.Errorf("%d partners: %d rounds with %d pairs, want %d and %d", partners, rounds, len(met), want, 5*want)
		}
		if pairs := p.Next([]int{0}, []int{1, 2, 3, 4}, nil); len(pairs) != 2 || pairs[0][0] != 0 {
			t.Errorf("%d partners: %v, want a retest of node 0 and a control", partners, pairs)
		}
		if pairs := p.Next([]int{0, 1, 2}, []int{3}, nil); len(pairs) != 5 {
			t.Errorf("%d partners: %v, want all nodes", partners, pairs)
		}
	}
}

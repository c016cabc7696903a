package schedule

import (
	"math/rand/v2"
	"testing"
)

// degrees returns how many different nodes each node meets in rounds.
func degrees(t *testing.T, n int, rounds [][]Pair) []int {
	t.Helper()
	met, degree := map[Pair]bool{}, make([]int, n)
	for _, round := range rounds {
		for _, p := range round {
			if p[0] == p[1] || met[ordered(p)] {
				t.Errorf("%d nodes: %v again, or with itself", n, p)
			}
			met[ordered(p)] = true
			degree[p[0]]++
			degree[p[1]]++
		}
	}
	return degree
}

func TestPatterns(t *testing.T) {
	for n := 2; n <= 33; n++ {
		for _, pattern := range Patterns()[1:] {
			rounds := patternRounds(pattern, n)
			for node, degree := range degrees(t, n, rounds) {
				want := map[string]int{PatternRing: min(2, n-1), PatternBisection: 1, PatternOneToAll: 1, PatternAllToOne: 1}[pattern]
				switch {
				case node == 0 && !OneTestEach(pattern):
					want = n - 1
				case node == n-1 && pattern == PatternBisection && n%2 == 1:
					want = 0
				}
				if degree != want {
					t.Errorf("%s of %d: node %d meets %d, want %d", pattern, n, node, degree, want)
				}
			}
			for _, round := range rounds {
				if OneTestEach(pattern) {
					wantOneTestEach(t, n, round)
				}
			}
			if most := map[bool]int{true: 3, false: 1}[pattern == PatternRing]; len(rounds) > most {
				t.Errorf("%s of %d has %d rounds", pattern, n, len(rounds))
			}
		}
	}
	if p := patternRounds(PatternAllToOne, 3)[0][1]; p != (Pair{0, 2}) {
		t.Errorf("all to one has %v, want rank 0 as the server", p)
	}
	for _, p := range bisection(8) {
		if p[0] >= 4 || p[1] < 4 {
			t.Errorf("%v is in one half", p)
		}
	}
}

// TestPlanOfAPattern: its rounds come first, then those that are needed to decide.
func TestPlanOfAPattern(t *testing.T) {
	p := NewPlan(8, PatternRing, 16, rand.New(rand.NewPCG(1, 2)))
	for range 2 {
		if pairs := p.Next(nil, nil, nil); len(pairs) != 4 {
			t.Errorf("%v, want a round of the ring", pairs)
		}
	}
	if p.Full() || p.Next(nil, nil, nil) != nil {
		t.Error("there is a third round although all is decided")
	}
	if pairs := p.Next([]int{0}, []int{1, 7, 3}, nil); pairs[0] != (Pair{0, 3}) {
		t.Errorf("%v, want node 0 with the one that it has not met", pairs)
	}
}

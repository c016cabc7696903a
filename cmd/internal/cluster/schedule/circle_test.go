package schedule

import "testing"

// TestCircle: in all rounds each pair meets once, and in one round no node has two tests.
func TestCircle(t *testing.T) {
	for n := 2; n <= 41; n++ {
		met := map[Pair]int{}
		for round := range Rounds(n) {
			pairs := Circle(n, round)
			if len(pairs) != n/2 {
				t.Errorf("round %d of %d nodes has %d pairs", round, n, len(pairs))
			}
			wantOneTestEach(t, n, pairs)
			for _, p := range pairs {
				met[ordered(p)]++
			}
		}
		for p, times := range met {
			if times != 1 {
				t.Errorf("%d nodes: %v met %d times", n, p, times)
			}
		}
		if len(met) != n*(n-1)/2 {
			t.Errorf("%d nodes: %d pairs met", n, len(met))
		}
	}
}

func wantOneTestEach(t *testing.T, n int, pairs []Pair) {
	t.Helper()
	busy := make([]bool, n)
	for _, p := range pairs {
		if p[0] == p[1] || busy[p[0]] || busy[p[1]] {
			t.Errorf("%d nodes: %v in %v", n, p, pairs)
		}
		busy[p[0]], busy[p[1]] = true, true
	}
}

package verdict

import (
	"math"
	"slices"
	"testing"
)

// results makes the tests of rounds in which all pairs of n nodes meet, one after another. The values differ by
// little, and by the factors of bad nodes and pairs.
func results(n, rounds int, node map[int]float64, pair map[[2]int]float64) *Judge {
	j := New(n, 0.1)
	for round := range rounds {
		distance := 1 + round%(n-1)
		for a := range n {
			b := a ^ distance // of n a power of two: each node once
			if a > b {
				continue
			}
			value := 100 * math.Exp(0.01*math.Sin(float64(7*a+13*b+29*round)))
			value *= min(orOne(node[a]), orOne(node[b])) * orOne(pair[[2]int{a, b}])
			j.Add(Test{Round: round, A: a, B: b, Value: value})
		}
	}
	return j
}

func orOne(factor float64) float64 {
	if factor == 0 {
		return 1
	}
	return factor
}

func wantStates(t *testing.T, j *Judgement, bad ...int) {
	t.Helper()
	for node, n := range j.Nodes {
		want := Good
		if slices.Contains(bad, node) {
			want = Bad
		}
		if n.State != want {
			t.Errorf("node %d: state %d, want %d; evidence %.1f", node, n.State, want, n.Evidence)
		}
	}
}

func TestSlowNodesAreBad(t *testing.T) {
	wantStates(t, results(16, 8, nil, nil).Judge())
	wantStates(t, results(16, 8, map[int]float64{3: 0.85}, nil).Judge(), 3)
	wantStates(t, results(16, 8, map[int]float64{3: 0.85, 4: 0.3}, nil).Judge(), 3, 4)
}

// TestFasterNodesAreGood: only lower values count.
func TestFasterNodesAreGood(t *testing.T) {
	wantStates(t, results(16, 8, nil, map[[2]int]float64{{3, 4}: 3}).Judge())
}

// TestASlowPairMakesNoBadNode, however often it is tested.
func TestASlowPairMakesNoBadNode(t *testing.T) {
	j := results(8, 70, nil, map[[2]int]float64{{2, 5}: 0.1}).Judge()
	wantStates(t, j)
	if !slices.Equal(j.BadPairs, [][2]int{{2, 5}}) || len(j.LowPairs) > 0 {
		t.Errorf("bad pairs %v, low pairs %v", j.BadPairs, j.LowPairs)
	}
}

// TestALowPairIsTestedAgain: one low test says nothing yet.
func TestALowPairIsTestedAgain(t *testing.T) {
	j := results(16, 15, nil, map[[2]int]float64{{2, 5}: 0.5}).Judge()
	if len(j.BadPairs) > 0 || !slices.Equal(j.LowPairs, [][2]int{{2, 5}}) {
		t.Errorf("bad pairs %v, low pairs %v", j.BadPairs, j.LowPairs)
	}
}

// TestLowTestsWithUnknownNodesDoNotCount: two bad nodes that only meet each other are undecided.
func TestLowTestsWithUnknownNodesDoNotCount(t *testing.T) {
	j := results(16, 8, nil, nil)
	judge := New(18, 0.1)
	for _, test := range j.tests {
		judge.Add(test)
	}
	for round := 8; round < 28; round++ {
		judge.Add(Test{round, 16, 17, 50}, Test{round, 0, 1, 100}, Test{round, 2, 3, 101}, Test{round, 4, 5, 99})
	}
	v := judge.Judge()
	if v.Nodes[16].State != Undecided || v.Nodes[17].State != Undecided {
		t.Errorf("nodes %+v, want them undecided", v.Nodes[16:])
	}
	wantStates(t, &Judgement{Nodes: v.Nodes[:16]})
	judge.Add(Test{28, 16, 0, 50}, Test{28, 17, 1, 100}, Test{28, 2, 3, 101}, Test{28, 4, 5, 99})
	judge.Add(Test{29, 16, 2, 50}, Test{29, 17, 3, 100}, Test{29, 0, 1, 101}, Test{29, 4, 5, 99})
	judge.Add(Test{30, 16, 4, 50}, Test{30, 17, 5, 100}, Test{30, 0, 1, 101}, Test{30, 2, 3, 99})
	wantStates(t, judge.Judge(), 16)
}

// TestFewTestsDecideNothing: the noise is not known yet.
func TestFewTestsDecideNothing(t *testing.T) {
	for _, j := range []*Judge{New(8, 0.1), results(2, 100, nil, nil), results(8, 3, map[int]float64{1: 0.1}, nil)} {
		v := j.Judge()
		for node, n := range v.Nodes {
			if n.State == Bad || n.State == Good && len(j.tests) < minTests {
				t.Errorf("%d nodes, %d tests: node %d has state %d", len(v.Nodes), len(j.tests), node, n.State)
			}
		}
	}
}

// TestSmallestSlowdown is that of the rule, or what the noise allows.
func TestSmallestSlowdown(t *testing.T) {
	if v := results(16, 8, nil, nil).Judge(); math.Abs(v.Smallest-0.1) > 1e-9 || v.Noise > 0.02 {
		t.Errorf("%+v", v)
	}
	j := New(4, 0.1)
	for round := range 40 {
		j.Add(Test{round, 0, 1, 100}, Test{round, 2, 3, 100 * math.Exp(0.3*float64(round%2*2-1))})
	}
	if v := j.Judge(); v.Smallest < 0.3 {
		t.Errorf("at a noise of %.2f the smallest slowdown is %.2f", v.Noise, v.Smallest)
	}
}

package verdict

import "testing"

// TestManyFailingNodes: tests fail in most pairs, so the usual value is that of a failure. The failing nodes are bad
// nevertheless.
func TestManyFailingNodes(t *testing.T) {
	for bad := 1; bad <= 4; bad++ {
		j := NewAbsolute(8)
		for round := range 28 {
			for a := range 8 {
				if b := a ^ (1 + round%7); a < b {
					value := 1.0
					if a < bad { // b > a
						value = 1e-9
					}
					j.Add(Test{Round: round, A: a, B: b, Value: value})
				}
			}
		}
		v := j.Judge()
		for node, n := range v.Nodes {
			if want := map[bool]State{true: Bad, false: Good}[node < bad]; n.State != want {
				t.Errorf("%d bad nodes: node %d has state %d, want %d", bad, node, n.State, want)
			}
		}
	}
}

// TestNoNodeIsGoodIfAllFail: nothing clears any node.
func TestNoNodeIsGoodIfAllFail(t *testing.T) {
	j := NewAbsolute(8)
	for round := range 28 {
		for a := range 8 {
			if b := a ^ (1 + round%7); a < b {
				j.Add(Test{Round: round, A: a, B: b, Value: 1e-9})
			}
		}
	}
	for node, n := range j.Judge().Nodes {
		if n.State != Undecided {
			t.Errorf("node %d has state %d", node, n.State)
		}
	}
}

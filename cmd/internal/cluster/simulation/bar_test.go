package simulation

import "testing"

// simulate runs the clusters of a specification with the rule for nodes that are 10 % slower.
func simulate(t *testing.T, spec string, runs int) *Counts {
	t.Helper()
	s, err := ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Run(t.Context(), s, 0.1, runs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// wantBar checks the error rates of docs/CLUSTER.md at 3 % noise and 1 % outliers for nodes that are 10 %
// slower. Of few nodes, no bad one may be taken for good, but some may stay undecided.
func wantBar(t *testing.T, c *Counts) {
	t.Helper()
	const fewNodes = 32
	found := 0.999
	if c.Nodes < fewNodes {
		found = 0.99
		if c.Cleared > 0 {
			t.Errorf("%d nodes: %d bad ones were taken for good", c.Nodes, c.Cleared)
		}
	}
	if share := float64(c.Found) / float64(c.Bad); share < found {
		t.Errorf("%d nodes: %.2f %% of the bad ones were found, want %.1f %%", c.Nodes, 100*share, 100*found)
	}
	if 1000*c.Blamed > c.Runs {
		t.Errorf("%d nodes: %d of %d runs blamed a good one, want at most one in 1000", c.Nodes, c.Blamed, c.Runs)
	}
	if c.MedianRounds() > 20 {
		t.Errorf("%d nodes: %d rounds in the median, want at most 20", c.Nodes, c.MedianRounds())
	}
}

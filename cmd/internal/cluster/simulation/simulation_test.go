package simulation

import (
	"context"
	"errors"
	"reflect"
	"testing"
)

// TestErrorRates is a sample of the trial of the same rates, which takes minutes.
func TestErrorRates(t *testing.T) {
	for spec, runs := range map[string]int{"nodes=8": 200, "nodes=9": 200, "nodes=32": 100, "nodes=128": 30, "nodes=1024,bad=20%": 2, "nodes=1024": 3} {
		t.Run(spec, func(t *testing.T) { wantBar(t, simulate(t, spec, runs)) })
	}
}

// TestRulesAreNotMadeForOneNoise: at a noise of 40 % nothing but a very slow node or pair can be found, and at any
// noise no good node is blamed.
func TestRulesAreNotMadeForOneNoise(t *testing.T) {
	const runs = 100
	node := simulate(t, "nodes=8,slow=90%,noise=40%", runs)
	if node.Found != runs || node.Blamed > 0 || node.MedianSmallest() < 0.4 {
		t.Errorf("a node ten times slower: %+v", node)
	}
	pair := simulate(t, "nodes=8,slow=90%,noise=40%,bad=0,pairs=1", runs)
	if pair.PairsFound < runs*98/100 || pair.PairsBlamed > 0 || pair.Blamed > 0 {
		t.Errorf("a pair ten times slower: %+v", pair)
	}
	for _, spec := range []string{"nodes=64,bad=0,noise=0%", "nodes=64,bad=0,noise=1%", "nodes=64,bad=0,noise=10%", "nodes=64,bad=0,outliers=10%"} {
		if c := simulate(t, spec, runs); c.Blamed > 0 {
			t.Errorf("%s: %d of %d runs blamed a good node", spec, c.Blamed, runs)
		}
	}
}

// TestManyOutliers: where many tests are low without a reason, as latencies with two levels, neither a good node nor a good
// pair is blamed. Few may stay undecided instead.
func TestManyOutliers(t *testing.T) {
	const runs = 1000 // one of which may blame, on average
	for _, spec := range []string{"outliers=10%", "outliers=20%", "outliers=30%", "outliers=40%", "outliers=45%"} {
		for _, bad := range []string{"bad=0,", "bad=0,pairs=1,partners=7,"} {
			if c := simulate(t, "nodes=8,"+bad+spec, runs); c.Blamed > 3 || c.PairsBlamed > 3 {
				t.Errorf("%s: of %d runs %d blamed a good node, %d a good pair", bad+spec, runs, c.Blamed, c.PairsBlamed)
			}
		}
	}
}

// TestGroupsAreFound is a sample of the table of groups: more partners find more of them, and no good group is named.
func TestGroupsAreFound(t *testing.T) {
	const runs = 5
	for spec, least := range map[string]int{
		"nodes=256,bad=0,groups=8,uplinks=1,partners=16": runs - 1, "nodes=256,bad=0,groups=8,uplinks=1,partners=4": 1,
	} {
		c := simulate(t, spec, runs)
		if c.Groups != runs || c.GroupsFound < least || c.PairsBlamed+c.GroupsBlamed > 0 {
			t.Errorf("%s: %d of %d found, %d named others", spec, c.GroupsFound, c.Groups, c.GroupsBlamed)
		}
	}
	if c := simulate(t, "nodes=256,bad=5%,groups=8,partners=16", runs); c.GroupsBlamed > 0 || c.Found != c.Bad {
		t.Errorf("bad nodes but no bad group: %d runs named one; %d of %d nodes found", c.GroupsBlamed, c.Found, c.Bad)
	}
}

// TestSmallSlowdownsAreGood: a third of the slowdown that is looked for hardly ever makes a bad node.
func TestSmallSlowdownsAreGood(t *testing.T) {
	const runs = 200
	if c := simulate(t, "nodes=64,slow=3%", runs); c.Found > 1 || c.Cleared < runs-1 {
		t.Errorf("of %d nodes slower by 3 %% %d were found, %d taken for good", runs, c.Found, c.Cleared)
	}
}

func TestRunsAreTheSameEachTime(t *testing.T) {
	if a, b := simulate(t, "nodes=16", 50), simulate(t, "nodes=16", 50); !reflect.DeepEqual(a, b) {
		t.Errorf("%+v, then %+v", a, b)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	cause := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := Run(ctx, &Spec{Nodes: 8}, 0.1, 1e9); !errors.Is(err, cause) {
		t.Errorf("error %v, want %v", err, cause)
	}
}

package results

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/cmd/internal/cluster/schedule"
)

// TestGroups: a group of which every sixth pair with other groups is slow is named, and none of its nodes.
func TestGroups(t *testing.T) {
	const nodes = 64
	random := rand.New(rand.NewPCG(3, 4))
	settings := Settings{Ranks: nodes, Rails: 1, Slow: 0.1}
	sampler, j := schedule.NewSampler(nodes, random), NewJudge(&settings)
	group := func(node int) string { return "leaf" + string(rune('1'+node/16)) }
	for round := 1; round <= 20; round++ {
		var tests []Test
		for _, p := range sampler.Full() {
			v := Test{Round: round, A: p[0], B: p[1], Bandwidth: 1e9 * math.Exp(0.02*random.NormFloat64()), MedianNs: 2000, P99Ns: 3000}
			if (group(p[0]) == "leaf3") != (group(p[1]) == "leaf3") && (p[0]*7+p[1]*7)%8 == 0 {
				v.Bandwidth /= 2
			}
			tests = append(tests, v)
		}
		j.Add(tests...)
	}
	d := &Document{Settings: settings, Nodes: make([]Node, nodes), Status: 7}
	for i := range d.Nodes {
		d.Nodes[i] = Node{Rank: i, Name: "n", Group: group(i)}
	}
	j.Conclude(d)
	if len(d.Groups) != 4 {
		t.Fatalf("groups %+v", d.Groups)
	}
	for _, g := range d.Groups {
		if (g.State == Bad) != (g.Name == "leaf3") || len(g.Evidence) != 3 {
			t.Errorf("group %+v", g)
		}
	}
	text := d.Text(0)
	for _, want := range []string{"Groups\n", "the group leaf3 is bad: bandwidth: ", " tests are low, 1 % elsewhere, and 0 of 16 nodes bad (chance ", "check its switch and uplinks", "ib_cluster: 64 nodes: 64 good, 1 bad group; "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestOneGroupIsNotJudged: there is none to compare it with.
func TestOneGroupIsNotJudged(t *testing.T) {
	d := judged(t, func(*Test) {})
	d.Groups = nil
	for i := range d.Nodes {
		d.Nodes[i].Group = "leaf1"
	}
	NewJudge(&ofEight).judgeGroups(d)
	if len(d.Groups) > 0 {
		t.Errorf("groups %v", d.Groups)
	}
}

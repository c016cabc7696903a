package results

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/cmd/internal/cluster/schedule"
)

// TestRailsAreJudgedByThemselves: a rail that is slower as a whole has good devices, one slow device of the other rail is
// named, and its node is drained once.
func TestRailsAreJudgedByThemselves(t *testing.T) {
	settings, random := Settings{Ranks: 8, Rails: 2, Slow: 0.1}, rand.New(rand.NewPCG(1, 2))
	plan, j := schedule.NewRails(8, 2, false, schedule.PatternCircle, 16, random), NewJudge(&settings)
	const slow = 2*5 + 1 // rail 1 of rank 5
	for round := 1; plan.Full(); round++ {
		var tests []Test
		for _, p := range plan.Next(nil, nil, nil) {
			noise := 1 + 0.01*random.NormFloat64()
			test := Test{Round: round, A: p[0], B: p[1], Bandwidth: 10e9 * noise, MedianNs: 2000 * noise, P99Ns: 3000}
			if p[0]%2 == 0 {
				test.Bandwidth /= 4
			}
			if p[0] == slow || p[1] == slow {
				test.Bandwidth /= 2
			}
			tests = append(tests, test)
		}
		j.Add(tests...)
	}
	d := &Document{Settings: settings}
	for i := range settings.Nodes() {
		d.Nodes = append(d.Nodes, Node{Rank: i / 2, Rail: i % 2, Name: "n" + string(rune('0'+i/2)), Device: "mlx5_" + string(rune('0'+i%2))})
	}
	j.Conclude(d)
	for i, n := range d.Nodes {
		if want := map[bool]string{false: Good, true: Bad}[i == slow]; n.State != want {
			t.Errorf("%s is %s: %s", d.Name(i), n.State, n.Why)
		}
	}
	text := d.Text(0)
	for _, want := range []string{
		"rank 5.1 (n5 mlx5_1) is bad: bandwidth 0.5", "\ndrain n5: ib_cluster: rail 1: bandwidth 0.5", "rail 0 (mlx5_0): median bandwidth 20.",
		"rail 1 (mlx5_1): median bandwidth 79.", "ib_cluster: 16 devices of 8 nodes: 15 good, 1 bad; 56 pairs in 56 tests; ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if worst, _, _ := strings.Cut(text, "Nodes\n"); strings.Count(worst, "5.1") != 7 {
		t.Errorf("the seven slow tests are not all among the worst:\n%s", text)
	}
	if strings.Contains(text, "pairs were tested") {
		t.Errorf("all pairs of both rails were tested:\n%s", text)
	}
}

// TestLoopbackOfRails: the devices of a single rank are judged by their own tests.
func TestLoopbackOfRails(t *testing.T) {
	settings := Settings{Ranks: 1, Rails: 2, Slow: 0.1}
	j, d := NewJudge(&settings), &Document{Settings: settings, Nodes: []Node{{Name: "n"}, {Name: "n", Rail: 1}}}
	for round := 1; round <= 3; round++ {
		j.Add(Test{Round: round, Bandwidth: 1e9, MedianNs: 1000}, Test{Round: round, A: 1, B: 1, Error: "no QP"})
	}
	j.Conclude(d)
	if d.Nodes[0].State != Good || d.Nodes[1].State != Bad || !strings.HasPrefix(d.Nodes[1].Why, "all 3 tests") {
		t.Errorf("nodes %+v", d.Nodes)
	}
}

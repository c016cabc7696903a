package heatmap

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
	"github.com/ibperf/ibperf/cmd/internal/cluster/schedule"
)

// measured returns the document of a cluster with noise of 3 % and outliers, some rounds of it. A function changes tests.
func measured(nodes, rounds int, change func(*results.Test)) *results.Document {
	random := rand.New(rand.NewPCG(5, 6))
	sampler := schedule.NewSampler(nodes, random)
	return measuredBy(results.Settings{Ranks: nodes, Rails: 1, Slow: 0.1}, random, rounds, sampler.Full, change)
}

// measuredBy is measured with settings, and a function that returns the pairs of a round.
func measuredBy(settings results.Settings, random *rand.Rand, rounds int, next func() []schedule.Pair, change func(*results.Test)) *results.Document {
	judge := results.NewJudge(&settings)
	var tests []results.Test
	for round := 1; round <= rounds; round++ {
		for _, p := range next() {
			t := results.Test{
				Round: round, A: p[0], B: p[1], Time: started, Seconds: 0.25,
				Bandwidth: 24e9 * math.Exp(0.03*random.NormFloat64()), MedianNs: 1700 * math.Exp(0.03*random.NormFloat64()), P99Ns: 2400,
			}
			if random.Float64() < 0.01 {
				t.Bandwidth *= 1 - (0.05 + 0.45*random.Float64())
			}
			change(&t)
			tests = append(tests, t)
		}
	}
	judge.Add(tests...)
	d := &results.Document{Settings: settings, Launcher: "srun", Job: "4711.0", Started: started, Rounds: rounds}
	for node := range settings.Nodes() {
		rank, rail := node/settings.Rails, node%settings.Rails
		d.Nodes = append(d.Nodes, results.Node{Rank: rank, Rail: rail, Name: fmt.Sprintf("gpu%04d", rank+1), Device: fmt.Sprint("mlx5_", rail)})
	}
	judge.Conclude(d)
	return d
}

var started = time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)

// slower makes the tests of a node slower by a factor.
func slower(t *results.Test, node int, factor float64) {
	if t.A == node || t.B == node {
		t.Bandwidth, t.MedianNs = t.Bandwidth*factor, t.MedianNs/factor
	}
}

// small is a cluster of 8 nodes with a slow node, a failing one and a slow pair.
func small() *results.Document {
	return measured(8, 14, func(t *results.Test) {
		slower(t, 3, 0.7)
		if t.Pair() == [2]int{1, 6} {
			t.Bandwidth *= 0.4
		}
		if t.A == 5 || t.B == 5 {
			*t = results.Test{Round: t.Round, A: t.A, B: t.B, Error: "no completion within 20s"}
		}
	})
}

// grouped is a cluster of 64 nodes in four groups, of which one has a bad uplink. Its ranks go round the groups.
func grouped() *results.Document {
	d := measured(64, 16, func(t *results.Test) {
		if a, b := t.A%4, t.B%4; a != b && (a == 2 || b == 2) && (t.A*5+t.B*5)%8 == 1 {
			t.Bandwidth *= 0.5
		}
	})
	for i := range d.Nodes {
		d.Nodes[i].Group = fmt.Sprint("leaf", 1+i%4)
	}
	for i := range 4 {
		d.Groups = append(d.Groups, results.Group{Name: fmt.Sprint("leaf", 1+i)})
	}
	return d
}

// railed is a cluster of 6 nodes with four rails, of which one has half the bandwidth of the others and one a slow device.
func railed() *results.Document {
	random := rand.New(rand.NewPCG(5, 6))
	plan := schedule.NewRails(6, 4, false, schedule.PatternCircle, schedule.DefaultPartners, random)
	undecided := make([]int, 6*4)
	for i := range undecided {
		undecided[i] = i
	}
	next := func() []schedule.Pair { return plan.Next(undecided, nil, nil) }
	return measuredBy(results.Settings{Ranks: 6, Rails: 4, Slow: 0.1}, random, 10, next, func(t *results.Test) {
		slower(t, 4*2+3, 0.6) // rail 3 of rank 2
		if t.A%4 == 1 {
			t.Bandwidth *= 0.5
		}
	})
}

// large is a cluster of 1,024 nodes with two slow nodes and a slow pair.
func large(rounds int) *results.Document {
	return measured(1024, rounds, func(t *results.Test) {
		slower(t, 300, 0.85)
		slower(t, 777, 0.4)
	})
}

// many is large with enough tests for the smallest cells.
var many = sync.OnceValue(func() *results.Document { return large(20) })

// Package simulation runs schedules and verdicts on clusters that do not exist, to count how often verdicts are right.
package simulation

import (
	"math"
	"math/rand/v2"

	"github.com/ibperf/ibperf/cmd/internal/cluster/schedule"
	"github.com/ibperf/ibperf/cmd/internal/cluster/verdict"
)

// A cluster has nodes of which some are bad.
type cluster struct {
	spec   *Spec
	random *rand.Rand
	bad    []bool
	pairs  map[schedule.Pair]bool // bad ones
	groups []bool                 // bad ones
	seed   uint64                 // of the uplink that a pair uses
}

func newCluster(spec *Spec, random *rand.Rand) *cluster {
	c := &cluster{spec: spec, random: random, bad: make([]bool, spec.Nodes), pairs: map[schedule.Pair]bool{}, groups: make([]bool, spec.Groups)}
	names := random.Perm(spec.Nodes)
	for _, node := range names[:spec.Bad] {
		c.bad[node] = true
	}
	for i := range spec.Pairs {
		a, b := names[spec.Bad+2*i], names[spec.Bad+2*i+1]
		c.pairs[schedule.Pair{min(a, b), max(a, b)}] = true
	}
	if spec.Groups > 0 {
		c.seed = random.Uint64()
		for _, group := range random.Perm(spec.Groups)[:spec.Uplinks] {
			c.groups[group] = true
		}
	}
	return c
}

// Outliers are lower by this share at least and at most.
const (
	minOutlier = 0.05
	maxOutlier = 0.5
)

// test returns what a test of two nodes measures.
func (c *cluster) test(p schedule.Pair) float64 {
	v := math.Exp(c.spec.Noise * c.random.NormFloat64())
	if c.bad[p[0]] || c.bad[p[1]] || c.pairs[schedule.Pair{min(p[0], p[1]), max(p[0], p[1])}] {
		v *= 1 - c.spec.Slow
	}
	if c.crosses(p) {
		v *= 1 - uplinkSlow
	}
	if c.random.Float64() < c.spec.Outliers {
		v *= 1 - (minOutlier + (maxOutlier-minOutlier)*c.random.Float64())
	}
	return v
}

// A group has some uplinks, of which a bad one is slower by a share.
const (
	uplinks    = 16
	uplinkSlow = 0.5
)

// group returns the group of a node, -1 without groups.
func (c *cluster) group(node int) int {
	if c.spec.Groups == 0 {
		return -1
	}
	return node * c.spec.Groups / c.spec.Nodes
}

// crosses reports whether a pair uses a bad uplink. It uses the same one in all tests.
func (c *cluster) crosses(p schedule.Pair) bool {
	if c.group(p[0]) == c.group(p[1]) {
		return false
	}
	low, high := uint64(min(p[0], p[1])), uint64(max(p[0], p[1]))
	used := rand.New(rand.NewPCG(c.seed, low<<32|high))
	first, second := used.IntN(uplinks), used.IntN(uplinks)
	return c.groups[c.group(int(low))] && first == 0 || c.groups[c.group(int(high))] && second == 0
}

// maxRounds is the number of rounds after which undecided nodes stay undecided.
const maxRounds = 60

// An outcome is the end of a run.
type outcome struct {
	*verdict.Judgement
	groups        []verdict.Group
	rounds, tests int
}

// run tests the cluster until every node and pair is decided.
func (c *cluster) run(slow float64) outcome {
	plan := schedule.NewPlan(c.spec.Nodes, schedule.PatternCircle, c.spec.Partners, c.random)
	judge := verdict.New(c.spec.Nodes, slow)
	everyone := make([]int, c.spec.Nodes) // all are undecided
	pairs, tests := plan.Next(everyone, nil, nil), 0
	for round := 1; ; round++ {
		for _, p := range pairs {
			judge.Add(verdict.Test{Round: round, A: p[0], B: p[1], Value: c.test(p)})
		}
		tests += len(pairs)
		j := judge.Judge()
		undecided, good := split(j)
		if pairs = plan.Next(undecided, good, j.LowPairs); pairs == nil || !plan.Full() && round >= maxRounds {
			return outcome{j, judge.Groups(j, c.spec.Groups, c.group), round, tests}
		}
	}
}

// split returns the nodes that are undecided, and those that are good.
func split(j *verdict.Judgement) (undecided, good []int) {
	for node, n := range j.Nodes {
		switch n.State {
		case verdict.Undecided:
			undecided = append(undecided, node)
		case verdict.Good:
			good = append(good, node)
		}
	}
	return undecided, good
}

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
}

func newCluster(spec *Spec, random *rand.Rand) *cluster {
	c := &cluster{spec: spec, random: random, bad: make([]bool, spec.Nodes), pairs: map[schedule.Pair]bool{}}
	names := random.Perm(spec.Nodes)
	for _, node := range names[:spec.Bad] {
		c.bad[node] = true
	}
	for i := range spec.Pairs {
		a, b := names[spec.Bad+2*i], names[spec.Bad+2*i+1]
		c.pairs[schedule.Pair{min(a, b), max(a, b)}] = true
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
	if c.random.Float64() < c.spec.Outliers {
		v *= 1 - (minOutlier + (maxOutlier-minOutlier)*c.random.Float64())
	}
	return v
}

// maxRounds is the number of rounds after which undecided nodes stay undecided.
const maxRounds = 60

// An outcome is the end of a run.
type outcome struct {
	*verdict.Judgement
	rounds, tests int
}

// run tests the cluster until every node and pair is decided.
func (c *cluster) run(slow float64) outcome {
	sampler := schedule.NewSampler(c.spec.Nodes, c.random)
	judge := verdict.New(c.spec.Nodes, slow)
	pairs, tests := sampler.Full(), 0
	for round := 1; ; round++ {
		for _, p := range pairs {
			judge.Add(verdict.Test{Round: round, A: p[0], B: p[1], Value: c.test(p)})
		}
		tests += len(pairs)
		j := judge.Judge()
		undecided, good := split(j)
		switch {
		case round == maxRounds, len(undecided) == 0 && len(j.LowPairs) == 0:
			return outcome{j, round, tests}
		case len(undecided) <= len(good):
			pairs = sampler.Retest(undecided, good, j.LowPairs)
		default:
			pairs = sampler.Full()
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

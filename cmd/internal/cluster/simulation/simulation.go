package simulation

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ibperf/ibperf/cmd/internal/cluster/verdict"
)

// Counts holds the results of the runs of a simulation.
type Counts struct {
	Runs, Nodes                    int
	Bad, Found, Cleared, Undecided int       // bad nodes of all runs
	Blamed                         int       // runs that blamed a good node
	GoodUndecided                  int       // good nodes of all runs
	Pairs, PairsFound              int       // bad pairs of all runs
	PairsBlamed                    int       // runs that named a pair that is not bad
	Groups, GroupsFound            int       // groups of all runs with a bad uplink
	GroupsBlamed                   int       // runs that named a group without one
	Tests                          int       // of all runs
	Rounds                         []int     // of each run, sorted
	Smallest                       []float64 // the smallest slowdown that each run could have found, sorted
}

// Run simulates runs on all CPUs, with the rule that a bad node is slower by the share slow. The same call has the
// same result. It ends early with the error of the context.
func Run(ctx context.Context, spec *Spec, slow float64, runs int) (*Counts, error) {
	c := &Counts{Runs: runs, Nodes: spec.Nodes}
	var next atomic.Int64
	var all sync.Mutex // of c
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1); i <= int64(runs) && ctx.Err() == nil; i = next.Add(1) {
				one := newCluster(spec, rand.New(rand.NewPCG(uint64(spec.Nodes), uint64(i))))
				o := one.run(slow)
				all.Lock()
				c.count(one, o)
				all.Unlock()
			}
		})
	}
	workers.Wait()
	slices.Sort(c.Rounds)
	slices.Sort(c.Smallest)
	return c, context.Cause(ctx)
}

func (c *Counts) count(one *cluster, o outcome) {
	c.countNodes(one, o.Judgement)
	c.countPairs(one, o.Judgement)
	c.countGroups(one, o.groups)
	c.Tests += o.tests
	c.Rounds = append(c.Rounds, o.rounds)
	c.Smallest = append(c.Smallest, o.Smallest)
}

func (c *Counts) countNodes(one *cluster, j *verdict.Judgement) {
	blamed := false
	for node, n := range j.Nodes {
		switch {
		case !one.bad[node] && n.State == verdict.Bad:
			blamed = true
		case !one.bad[node] && n.State == verdict.Undecided:
			c.GoodUndecided++
		case !one.bad[node]:
		case n.State == verdict.Bad:
			c.Found++
		case n.State == verdict.Good:
			c.Cleared++
		default:
			c.Undecided++
		}
	}
	if blamed {
		c.Blamed++
	}
	c.Bad += one.spec.Bad
}

func (c *Counts) countPairs(one *cluster, j *verdict.Judgement) {
	c.Pairs += len(one.pairs)
	blamed := false
	for _, p := range j.BadPairs {
		if one.pairs[p] {
			c.PairsFound++
		} else if !one.crosses(p) {
			blamed = true
		}
	}
	if blamed {
		c.PairsBlamed++
	}
}

func (c *Counts) countGroups(one *cluster, groups []verdict.Group) {
	c.Groups += one.spec.Uplinks
	blamed := false
	for i, g := range groups {
		if g.Bad && one.groups[i] {
			c.GroupsFound++
		} else if g.Bad {
			blamed = true
		}
	}
	if blamed {
		c.GroupsBlamed++
	}
}

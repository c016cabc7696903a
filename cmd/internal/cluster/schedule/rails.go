package schedule

import (
	"math/rand/v2"
	"slices"
)

// Rails decides the pairs of devices of nodes that have several ones, the rails. Only devices of the same rail meet.
// Device rail of a node is node*rails + rail.
type Rails struct {
	rails int
	plans []*Plan // of each rail, or one of nodes whose devices have their tests together
}

// NewRails returns the plan of a run of n nodes, as [NewPlan] does. With together, the devices of a node meet those of
// the same node in each round.
func NewRails(n, rails int, together bool, pattern string, partners int, random *rand.Rand) *Rails {
	r := &Rails{rails: rails}
	for range rails {
		if len(r.plans) == 0 || !together {
			r.plans = append(r.plans, NewPlan(n, pattern, partners, random))
		}
	}
	return r
}

// Full reports whether the next round is one of the first ones, which are there whatever is decided.
func (r *Rails) Full() bool { return slices.ContainsFunc(r.plans, (*Plan).Full) }

// Next returns the pairs of devices of the next round, as [Plan.Next] does those of nodes. Those of a pair of nodes whose
// devices have their tests together follow one another.
func (r *Rails) Next(undecided, good []int, low [][2]int) (pairs []Pair) {
	for i, plan := range r.plans {
		open := r.nodes(i, undecided)
		closed := slices.DeleteFunc(r.nodes(i, good), func(node int) bool { _, found := slices.BinarySearch(open, node); return found })
		for _, p := range plan.Next(open, closed, r.pairs(i, low)) {
			for rail := i; rail < r.rails; rail += len(r.plans) {
				pairs = append(pairs, Pair{p[0]*r.rails + rail, p[1]*r.rails + rail})
			}
		}
	}
	return pairs
}

// nodes returns the nodes of the devices that a plan has.
func (r *Rails) nodes(plan int, devices []int) (nodes []int) {
	for _, d := range devices {
		if d%len(r.plans) == plan {
			nodes = append(nodes, d/r.rails)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// pairs returns the pairs of nodes of the pairs of devices that a plan has.
func (r *Rails) pairs(plan int, devices [][2]int) (nodes [][2]int) {
	for _, p := range devices {
		if p[0]%len(r.plans) == plan {
			nodes = append(nodes, [2]int{p[0] / r.rails, p[1] / r.rails})
		}
	}
	return nodes
}

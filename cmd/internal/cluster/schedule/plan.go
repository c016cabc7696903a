package schedule

import "math/rand/v2"

// DefaultPartners is the number of others that each node meets at least.
const DefaultPartners = 16

// A Plan decides the pairs of each round of a run.
type Plan struct {
	sampler *Sampler
	full    int // rounds of all nodes that are left
}

// NewPlan returns the plan of a run of n nodes, of which each meets a number of others at least, or all.
func NewPlan(n, partners int, random *rand.Rand) *Plan {
	return &Plan{sampler: NewSampler(n, random), full: min(partners, Rounds(n))}
}

// Full reports whether the next round is one of all nodes whatever is decided.
func (p *Plan) Full() bool { return p.full > 0 }

// Next returns the pairs of the next round, after which some nodes are undecided or good, and some pairs of good nodes
// are to be tested again. It returns nil if no further round is needed.
func (p *Plan) Next(undecided, good []int, low [][2]int) []Pair {
	switch {
	case p.Full():
		p.full--
	case len(undecided) == 0 && len(low) == 0:
		return nil
	case len(undecided) <= len(good):
		return p.sampler.Retest(undecided, good, low)
	}
	return p.sampler.Full()
}

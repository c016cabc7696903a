package schedule

import "math/rand/v2"

// DefaultPartners is the number of others that each node meets at least.
const DefaultPartners = 16

// A Plan decides the pairs of each round of a run.
type Plan struct {
	sampler *Sampler
	first   [][]Pair // rounds of a pattern that are left
	full    int      // rounds of the circle that are left
}

// NewPlan returns the plan of a run of n nodes, which begins with the rounds of a pattern. In the circle each node meets
// a number of others at least, or all.
func NewPlan(n int, pattern string, partners int, random *rand.Rand) *Plan {
	p := &Plan{sampler: NewSampler(n, random), first: patternRounds(pattern, n)}
	if p.first == nil {
		p.full = min(partners, Rounds(n))
	}
	return p
}

// Full reports whether the next round is one of the first ones, which are there whatever is decided.
func (p *Plan) Full() bool { return len(p.first) > 0 || p.full > 0 }

// Next returns the pairs of the next round, after which some nodes are undecided or good, and some pairs of good nodes
// are to be tested again. It returns nil if no further round is needed.
func (p *Plan) Next(undecided, good []int, low [][2]int) []Pair {
	switch {
	case len(p.first) > 0:
		pairs := p.first[0]
		p.first = p.first[1:]
		for _, pair := range pairs {
			p.sampler.count(pair)
		}
		return pairs
	case p.full > 0:
		p.full--
	case len(undecided) == 0 && len(low) == 0:
		return nil
	case len(undecided) <= len(good):
		return p.sampler.Retest(undecided, good, low)
	}
	return p.sampler.Full()
}

package verdict

import (
	"math"
	"slices"
)

// A pair holds the sum of the ratios of all tests of two nodes.
type pair struct {
	a, b int
	sum  float64
}

// summedPairs returns all pairs that were tested.
func (e *evidence) summedPairs() []pair {
	all := slices.Clone(e.pairs)
	for i, ratio := range e.ratios {
		all[e.pair[i]].sum += ratio
	}
	return all
}

// decision decides the states of nodes.
type decision struct {
	pairs []pair
	nodes []Node
	limit float64 // of what one pair counts against a node, so that a bad pair makes no bad node
}

// Blame returns the evidence above which one of n nodes is bad.
func Blame(n int) float64 { return math.Log(float64(n) / falseBlame) }

// decide repeats until no state changes: each cleared node makes the low tests with it count against its partners,
// and each blamed node excuses its partners.
func (d *decision) decide() {
	blame, clear := Blame(len(d.nodes)), math.Log(falseClear)
	for changed := true; changed; {
		changed = false
		all := d.sum()
		for i := range d.nodes {
			n := &d.nodes[i]
			state := Undecided
			switch {
			case n.Evidence >= blame:
				state = Bad
			case all[i] <= clear:
				state = Good
			}
			changed = changed || state != n.State
			n.State = state
		}
	}
}

// sum adds up the evidence against each node, and returns the sums of all its tests but those with bad nodes.
func (d *decision) sum() []float64 {
	all := make([]float64, len(d.nodes))
	for i := range d.nodes {
		d.nodes[i].Evidence = 0
	}
	for _, p := range d.pairs {
		sum := min(p.sum, d.limit)
		d.add(all, p.a, p.b, sum)
		d.add(all, p.b, p.a, sum)
	}
	return all
}

func (d *decision) add(all []float64, node, partner int, sum float64) {
	if sum <= 0 || d.nodes[partner].State == Good {
		d.nodes[node].Evidence += sum
	}
	if sum <= 0 || d.nodes[partner].State != Bad {
		all[node] += sum
	}
}

// low returns the pairs of good nodes that are bad, and those that may be.
func (d *decision) low() (bad, maybe [][2]int) {
	blame := math.Log(float64(len(d.pairs)) / falseBlame)
	for _, p := range d.pairs {
		switch {
		case p.sum <= 0 || d.nodes[p.a].State != Good || d.nodes[p.b].State != Good:
		case p.sum >= blame:
			bad = append(bad, [2]int{p.a, p.b})
		default:
			maybe = append(maybe, [2]int{p.a, p.b})
		}
	}
	return bad, maybe
}

package schedule

import "math/rand/v2"

// A Sampler makes rounds in random order.
type Sampler struct {
	random *rand.Rand
	names  []int // node of each place of the circle
	rounds []int // rounds of the circle that are left
	met    map[Pair]int
}

// NewSampler returns a sampler of rounds of n nodes.
func NewSampler(n int, random *rand.Rand) *Sampler {
	return &Sampler{random: random, names: random.Perm(n), met: map[Pair]int{}}
}

// Full returns the pairs of a round of all nodes. All pairs have had their turn before a pair has it again.
func (s *Sampler) Full() []Pair {
	n := len(s.names)
	if len(s.rounds) == 0 {
		s.rounds = s.random.Perm(Rounds(n))
	}
	pairs := Circle(n, s.rounds[0])
	s.rounds = s.rounds[1:]
	for i, p := range pairs {
		pairs[i] = Pair{s.names[p[0]], s.names[p[1]]}
		s.count(pairs[i])
	}
	return pairs
}

// Numbers of a round of retests.
const (
	minControls = 8  // pairs of good nodes, for the median of the round
	looked      = 16 // good nodes, of which the one is taken that an undecided node has met least often
)

// Retest returns the pairs of a round of undecided nodes with good ones, of low pairs of good nodes, and of as many
// control pairs of good nodes.
func (s *Sampler) Retest(undecided, good []int, low [][2]int) []Pair {
	good = append([]int(nil), good...)
	s.shuffle(good)
	var pairs []Pair
	for _, node := range undecided {
		if len(good) > 0 {
			var partner int
			partner, good = s.take(node, good)
			pairs = append(pairs, Pair{node, partner})
		}
	}
	free := make(map[int]bool, len(good))
	for _, node := range good {
		free[node] = true
	}
	for _, p := range low {
		if free[p[0]] && free[p[1]] {
			pairs = append(pairs, p)
			free[p[0]], free[p[1]] = false, false
		}
	}
	controls := max(minControls, len(pairs))
	last := -1
	for _, node := range good {
		switch {
		case controls == 0 || !free[node]:
		case last < 0:
			last = node
		default:
			pairs = append(pairs, Pair{last, node})
			last = -1
			controls--
		}
	}
	for _, p := range pairs {
		s.count(p)
	}
	return pairs
}

// take removes the node from the first ones of good that a node has met least often.
func (s *Sampler) take(node int, good []int) (partner int, rest []int) {
	best := 0
	for i := range good[:min(looked, len(good))] {
		if s.met[ordered(Pair{node, good[i]})] < s.met[ordered(Pair{node, good[best]})] {
			best = i
		}
	}
	partner = good[best]
	good[best] = good[0]
	return partner, good[1:]
}

func (s *Sampler) count(p Pair) { s.met[ordered(p)]++ }

func (s *Sampler) shuffle(nodes []int) {
	s.random.Shuffle(len(nodes), func(i, k int) { nodes[i], nodes[k] = nodes[k], nodes[i] })
}

func ordered(p Pair) Pair { return Pair{min(p[0], p[1]), max(p[0], p[1])} }

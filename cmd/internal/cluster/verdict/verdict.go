// Package verdict decides which nodes of a cluster are slower than the others, from tests of pairs.
//
// A test's value is the lower one of its two nodes, with noise. So a high value clears both nodes, and a low
// one counts only against a node whose partner is cleared by other tests. The log likelihood ratios of
// "slower" against "like the others" are added up until a node is bad or good (Wald, 1945); each is limited
// (Huber, 1965), by what the tests show, since some tests are low without a bad node. Undecided nodes are tested again.
package verdict

import "math"

// A Test is the figure of one test of two nodes.
type Test struct {
	Round int     // tests of one round ran under the same conditions
	A, B  int     // nodes, from 0
	Value float64 // more is better: a rate, or the inverse of a time
}

// A State is the verdict about a node.
type State int

// The states of a node.
const (
	Undecided State = iota
	Good
	Bad
)

// The error rates: the probability that any good node of a run is blamed, and that a bad one is cleared.
const (
	falseBlame = 0.001
	falseClear = 0.001
)

// minTests is the number of tests of unsuspected nodes below which the noise is unknown, and so is every node.
const minTests = 16

// A Node is the verdict about a node and its evidence.
type Node struct {
	State    State
	Evidence float64 // the log likelihood ratio of "slower", of the tests that count
}

// A Judgement is the verdict about all nodes.
type Judgement struct {
	Nodes    []Node
	Noise    float64  // the standard deviation of the logarithm of a test's value
	Smallest float64  // the smallest slowdown that the tests could have found, as a share
	BadPairs [][2]int // good nodes whose tests with each other are low
	LowPairs [][2]int // good nodes whose tests with each other may be low: test them again

	residuals []float64 // of each test
}

// A Judge holds the tests of a cluster.
type Judge struct {
	slow     float64
	absolute bool
	nodes    int
	tests    []Test
	logs     []float64 // of the value of each test
	pair     []int     // of each test: index in pairs
	pairs    []pair
	index    map[[2]int]int // of each pair of nodes in pairs
}

// New returns a judge of n nodes, of which a bad one is slower by the share slow or more.
func New(n int, slow float64) *Judge {
	return &Judge{slow: slow, nodes: n, index: map[[2]int]int{}}
}

// NewAbsolute returns a judge of n nodes whose tests have the value 1, or far less if they have failed. They are not
// compared with each other: nodes are bad even if most tests fail.
func NewAbsolute(n int) *Judge {
	const slow = 0.5
	j := New(n, slow)
	j.absolute = true
	return j
}

// Add adds the tests of one round.
func (j *Judge) Add(tests ...Test) {
	for _, t := range tests {
		key := [2]int{min(t.A, t.B), max(t.A, t.B)}
		i, known := j.index[key]
		if !known {
			i = len(j.pairs)
			j.index[key] = i
			j.pairs = append(j.pairs, pair{a: key[0], b: key[1]})
		}
		j.tests, j.logs, j.pair = append(j.tests, t), append(j.logs, math.Log(t.Value)), append(j.pair, i)
	}
}

// Judge returns the verdicts about all nodes, from all tests that were added. The noise of the tests may allow only a
// larger slowdown than that of the judge: see Judgement.Smallest.
func (j *Judge) Judge() *Judgement {
	e := newEvidence(j)
	e.weigh()
	e.suspect()
	e.weigh() // again, without suspects in the medians
	v := &Judgement{Nodes: make([]Node, j.nodes), Noise: e.noise, Smallest: -math.Expm1(-e.shift), residuals: e.residuals}
	if e.trusted >= minTests || j.absolute && len(j.tests) >= minTests {
		d := decision{pairs: e.summedPairs(), nodes: v.Nodes, limit: e.limit}
		d.decide()
		v.BadPairs, v.LowPairs = d.low()
	}
	return v
}

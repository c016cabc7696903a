package heatmap

import (
	"cmp"
	"math"
	"slices"

	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
)

// Limits of the number of cells in a row. Cells of clusters with more nodes have several nodes in each direction.
const (
	maxCells  = 256 // that can be distinguished
	fewCells  = 64
	leastFull = 0.25 // share of the cells of a large cluster that have a test, about
)

// cellNodes returns the number of nodes of a cell in each direction.
func cellNodes(nodes, pairs int) int {
	if nodes <= maxCells {
		return 1
	}
	cells := math.Sqrt(2 * float64(pairs) / leastFull) // each pair has two
	return int(math.Ceil(float64(nodes) / min(max(cells, fewCells), maxCells)))
}

// A pairMap is the heat map of one figure. Its axes count nodes, from 0, in the order of the map: by rail, group and rank.
type pairMap struct {
	d      *results.Document
	figure results.Figure
	order  []int // node of each place
	place  []int // of each node
	per    int   // nodes of a cell in each direction
	cells  [][]level
	nodes  []level   // the worst node of each row
	ratios []float64 // of pairs of a map with numbers, by place; 0: not tested
}

func newMap(d *results.Document, f results.Figure) *pairMap {
	n := len(d.Nodes)
	m := &pairMap{d: d, figure: f, order: make([]int, n), place: make([]int, n), per: cellNodes(n, d.PairCount())}
	for node := range m.order {
		m.order[node] = node
	}
	slices.SortStableFunc(m.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(d.Nodes[a].Rail, d.Nodes[b].Rail), cmp.Compare(d.Nodes[a].Group, d.Nodes[b].Group))
	})
	for place, node := range m.order {
		m.place[node] = place
	}
	m.cells, m.nodes = make([][]level, m.size()), make([]level, m.size())
	for i := range m.cells {
		m.cells[i] = make([]level, m.size())
	}
	m.ratios = make([]float64, min(n, maxNumbered)*min(n, maxNumbered))
	m.fillPairs()
	m.fillNodes()
	return m
}

// size returns the number of cells in a row.
func (m *pairMap) size() int { return (len(m.order) + m.per - 1) / m.per }

// fillPairs colors each cell by the worst of its pairs. A pair has the median of its tests.
func (m *pairMap) fillPairs() {
	tests := make([]*results.Test, len(m.d.Tests))
	for i := range m.d.Tests {
		tests[i] = &m.d.Tests[i]
	}
	slices.SortStableFunc(tests, func(s, t *results.Test) int {
		a, b := s.Pair(), t.Pair()
		return slices.Compare(a[:], b[:])
	})
	for len(tests) > 0 {
		pair, many := tests[0].Pair(), 1
		for many < len(tests) && tests[many].Pair() == pair {
			many++
		}
		m.fillPair(m.place[pair[0]], m.place[pair[1]], tests[:many])
		tests = tests[many:]
	}
}

// fillPair colors both cells of a pair of places.
func (m *pairMap) fillPair(a, b int, tests []*results.Test) {
	var values []float64
	worst := none
	for _, t := range tests {
		if t.Error != "" {
			worst = failed
		} else if v := m.value(t); v > 0 {
			values = append(values, v)
		}
	}
	if len(values) > 0 && worst != failed {
		slices.Sort(values)
		ratio := values[(len(values)-1)/2]
		worst = levelOf(ratio)
		if n := len(m.order); n <= maxNumbered {
			m.ratios[a*n+b], m.ratios[b*n+a] = ratio, ratio
		}
	}
	for _, at := range [][2]int{{a / m.per, b / m.per}, {b / m.per, a / m.per}} {
		m.cells[at[0]][at[1]] = max(m.cells[at[0]][at[1]], worst)
	}
}

// value returns a test's figure over the median, of which more is better; 0 if it has none.
func (m *pairMap) value(t *results.Test) float64 {
	middle := m.figure.MedianOf(m.d.Nodes[t.A].Rail)
	switch {
	case m.figure.Name == results.Bandwidth:
		return t.Bandwidth / middle
	case t.MedianNs == 0:
		return 0
	}
	return middle / t.MedianNs
}

// fillNodes colors the nodes by the median of their tests.
func (m *pairMap) fillNodes() {
	for place, node := range m.order {
		for _, e := range m.d.Nodes[node].Evidence {
			l := none
			switch {
			case e.Figure == results.Success && e.State == results.Bad:
				l = failed
			case e.Figure == m.figure.Name && e.Ratio > 0:
				l = levelOf(e.Ratio)
			}
			m.nodes[place/m.per] = max(m.nodes[place/m.per], l)
		}
	}
}

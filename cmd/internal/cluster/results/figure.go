package results

import (
	"math"
	"slices"

	"github.com/ibperf/ibperf/cmd/internal/cluster/verdict"
)

// figure is one of the figures.
type figure struct {
	name   string
	of     func(t Test) float64 // more is better; 0: the test has none
	judge  *verdict.Judge
	values map[int][]float64 // of each node
	met    map[int]map[int]bool
	all    [][]float64 // of each rail
	middle []float64   // median of each rail, at the end

	*verdict.Judgement // of all tests until now
}

// add adds the tests of a round that have the figure. A single one of a rail has no others beside it, and says nothing.
func (f *figure) add(tests []Test) {
	rails := len(f.all)
	rounds := make([][]verdict.Test, rails)
	for _, t := range tests {
		v, rail := f.of(t), t.A%rails
		if v <= 0 {
			continue
		}
		rounds[rail] = append(rounds[rail], verdict.Test{Round: t.Round*rails + rail, A: t.A, B: t.B, Value: v})
		f.all[rail] = append(f.all[rail], v)
		f.note(t.A, t.B, v)
		if t.A != t.B {
			f.note(t.B, t.A, v)
		}
	}
	for _, round := range rounds {
		if len(round) > 1 {
			f.judge.Add(round...)
		}
	}
}

func (f *figure) note(node, partner int, value float64) {
	f.values[node] = append(f.values[node], value)
	if f.met[node] == nil {
		f.met[node] = map[int]bool{}
	}
	f.met[node][partner] = true
}

// anyMeets reports whether any test has met the limits.
func (f *figure) anyMeets() bool {
	return slices.ContainsFunc(f.all, func(rail []float64) bool { return slices.Contains(rail, 1) })
}

// conclude computes the medians, and returns what all tests have measured.
func (f *figure) conclude() Figure {
	c := Figure{Name: f.name, Noise: f.Noise, Smallest: f.Smallest}
	shown := func(m float64) float64 {
		if f.name == Latency && m > 0 {
			return 1 / m
		}
		return m
	}
	all := slices.Concat(f.all...)
	c.Tests, c.Median = len(all), shown(median(all))
	for _, rail := range f.all {
		m := median(rail)
		f.middle = append(f.middle, m)
		if len(f.all) > 1 {
			c.Rails = append(c.Rails, shown(m))
		}
	}
	return c
}

// median returns the median of values, 0 without any.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	n := len(sorted)
	return math.Sqrt(sorted[(n-1)/2] * sorted[n/2])
}

package diff

import (
	"slices"

	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/reports/rows"
)

// runs holds the logarithms of the figures of a pair's runs, in the order of the runs.
type runs struct{ a, b []float64 }

// InTurn compares two sets of which a run of each was made in turn, so that the host was in the same states for both. A
// row that is certainly slower in B is a regression. Tests of several rows have a ratio of all rows, too.
func InTurn(a, b Set) (*Diff, error) {
	d, err := common(a, b)
	if err != nil {
		return nil, err
	}
	d.InTurn = true
	of := map[*Pair]runs{}
	for _, p := range d.Pairs {
		least := rows.LessIsFaster(p.Column)
		a, b := p.A.Series(p.Column).LogBest(least), p.B.Series(p.Column).LogBest(least)
		n := min(len(a), len(b))
		a, b = a[:n], b[:n]
		of[p] = runs{a, b}
		p.ValueA, p.ValueB = confidence.FastQuartile(a, least), confidence.FastQuartile(b, least)
	}
	d.addWhole(of)
	for _, p := range d.Pairs {
		p.Ratio = confidence.OfFastRuns(of[p].b, of[p].a, rows.LessIsFaster(p.Column), len(d.Pairs))
		p.judge(true, 0)
	}
	return d, nil
}

// addWhole adds a pair of all rows to each test of several rows, with the mean logarithms of its rows.
func (d *Diff) addWhole(of map[*Pair]runs) {
	var all []*Pair
	for _, pairs := range d.tests() {
		all = append(all, pairs...)
		complete := completeOf(pairs, of)
		if len(complete) > 1 {
			whole := &Pair{File: pairs[0].File, Column: pairs[0].Column, All: true}
			var as, bs [][]float64
			for _, p := range complete {
				as, bs = append(as, of[p].a), append(bs, of[p].b)
			}
			of[whole] = runs{meanOf(as), meanOf(bs)}
			all = append(all, whole)
		}
	}
	d.Pairs = all
}

// completeOf returns the pairs that lack no run of either set, so that the means of both are of the same rows.
func completeOf(pairs []*Pair, of map[*Pair]runs) []*Pair {
	most := 0
	for _, p := range pairs {
		most = max(most, len(of[p].a))
	}
	return slices.DeleteFunc(slices.Clone(pairs), func(p *Pair) bool { return len(of[p].a) < most })
}

// meanOf returns the mean of the rows' logarithms in each run.
func meanOf(rows [][]float64) []float64 {
	mean := make([]float64, len(rows[0]))
	for _, logs := range rows {
		for i, v := range logs {
			mean[i] += v / float64(len(rows))
		}
	}
	return mean
}

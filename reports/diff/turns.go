package diff

import "github.com/ibperf/ibperf/internal/confidence"

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
		least := p.lessIsFaster()
		a, b := p.A.Series(p.Column).LogBest(least), p.B.Series(p.Column).LogBest(least)
		of[p] = runs{a, b}
		p.ValueA, p.ValueB = confidence.FastQuartile(a, least), confidence.FastQuartile(b, least)
	}
	d.addWhole(of)
	for _, p := range d.Pairs {
		p.Ratio = confidence.OfFastRuns(of[p].b, of[p].a, p.lessIsFaster(), len(d.Pairs))
		p.judge(true, 0)
	}
	return d, nil
}

// addWhole adds a pair of all rows to each test of several rows, with the mean logarithms of its rows.
func (d *Diff) addWhole(of map[*Pair]runs) {
	var all []*Pair
	for _, rows := range d.tests() {
		all = append(all, rows...)
		if len(rows) > 1 {
			whole := &Pair{File: rows[0].File, Column: rows[0].Column, All: true}
			var as, bs [][]float64
			for _, p := range rows {
				as, bs = append(as, of[p].a), append(bs, of[p].b)
			}
			of[whole] = runs{meanOf(as), meanOf(bs)}
			all = append(all, whole)
		}
	}
	d.Pairs = all
}

// meanOf returns the mean of the rows' logarithms in each run. Rows that lack a run do not count.
func meanOf(rows [][]float64) []float64 {
	most := 0
	for _, logs := range rows {
		most = max(most, len(logs))
	}
	sum, n := make([]float64, most), 0.0
	for _, logs := range rows {
		if len(logs) < most {
			continue
		}
		n++
		for i, v := range logs {
			sum[i] += v
		}
	}
	for i := range sum {
		sum[i] /= n
	}
	return sum
}

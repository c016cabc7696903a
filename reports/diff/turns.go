package diff

import "github.com/ibperf/ibperf/internal/confidence"

// InTurn compares two sets of which a run of each was made in turn, so that what changes slowly on the host cancels out.
// A row that is certainly slower in B is a regression. Tests of several rows have a ratio of all rows, too, which varies
// less than that of one.
func InTurn(a, b Set) (*Diff, error) {
	d, err := common(a, b)
	if err != nil {
		return nil, err
	}
	d.InTurn = true
	logs := map[*Pair][]float64{}
	for _, p := range d.Pairs {
		logs[p] = confidence.LogRatios(p.B.Series(p.Column), p.A.Series(p.Column))
	}
	d.addWhole(logs)
	for _, p := range d.Pairs {
		p.Ratio = confidence.OfLogRatios(logs[p], len(d.Pairs))
		p.judge(true, 0)
	}
	return d, nil
}

// addWhole adds a pair of all rows to each test of several rows, with the mean logarithms of its rows that have all runs.
func (d *Diff) addWhole(logs map[*Pair][]float64) {
	var all []*Pair
	for _, rows := range d.tests() {
		all = append(all, rows...)
		if len(rows) > 1 {
			whole := &Pair{File: rows[0].File, Column: rows[0].Column, All: true}
			logs[whole] = meanOf(rows, logs)
			all = append(all, whole)
		}
	}
	d.Pairs = all
}

// meanOf returns the mean of the rows' logarithms in each pair of runs. Rows that lack a run do not count.
func meanOf(rows []*Pair, logs map[*Pair][]float64) []float64 {
	most := 0
	for _, p := range rows {
		most = max(most, len(logs[p]))
	}
	sum, n := make([]float64, most), 0.0
	for _, p := range rows {
		if len(logs[p]) < most {
			continue
		}
		n++
		for i, v := range logs[p] {
			sum[i] += v
		}
	}
	for i := range sum {
		sum[i] /= n
	}
	return sum
}

// Package diff compares the rows of two sets of result files, such as those of two builds: the same tests, measured
// separately, or in turn.
package diff

import (
	"fmt"
	"math"

	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// A Set is result files that were measured with the same build, devices or settings. No two are of the same test
// with the same options.
type Set struct {
	Name  string // as the user wrote it: a file or a folder
	Files []*result.File
}

// A Pair is a row of both sets, with the same test, options, message size, mode and variant, or all rows of a test.
type Pair struct {
	File   *result.File   // of the first set
	Column *result.Column // what is compared: the median latency, the mean where there is no median, the answers per second at a rate that both sets do not keep, or the average bandwidth
	A, B   rows.Entry
	All    bool // all rows of the test: the ratio is their geometric mean; A and B are empty

	ValueA, ValueB float64 // whose quotient is about the ratio; 0 for all rows

	Ratio      confidence.Estimate // of B to A; all intervals of a Diff hold together in 95 % of all cases
	Relation   rows.Relation       // of B to A
	Disturbed  bool                // a warning makes the ratio doubtful, and so unclear unless the runs were made in turn
	Regression bool                // B is slower by at least the threshold
	Keeps      string              // "A" or "B" if only that set keeps the rate of a latency test; then there is no ratio

	clear bool // no warning keeps the ratio from having a relation
}

// Name returns the pair's test, message size and mode.
func (p *Pair) Name() string {
	if p.All {
		return p.File.Program + ", all rows"
	}
	return fmt.Sprintf("%s, %d bytes, %s", p.File.Program, p.A.Size, p.A.Name())
}

// Slowdown returns by which fraction B is slower, negative if it is faster: more time, or less bandwidth.
func (p *Pair) Slowdown() float64 {
	if rows.LessIsFaster(p.Column) {
		return p.Ratio.Value - 1
	}
	return 1 - p.Ratio.Value
}

// Detectable returns the smallest slowdown that would have been found with the interval of the pair, infinity if none would.
func (p *Pair) Detectable() float64 {
	switch {
	case !p.Ratio.Enough || !p.clear:
		return math.Inf(1)
	case rows.LessIsFaster(p.Column):
		return max(smallest, p.Ratio.Value/p.Ratio.Low-1)
	}
	return max(smallest, 1-p.Ratio.Value/p.Ratio.High)
}

// A Diff is the rows that two sets have in common, and the names of those that only one has.
type Diff struct {
	Pairs        []*Pair
	OnlyA, OnlyB []string
	Threshold    float64 // of regressions, a fraction
	InTurn       bool    // a run of A and a run of B were made in turn
}

// Regressions returns the pairs that are regressions.
func (d *Diff) Regressions() (all []*Pair) {
	for _, p := range d.Pairs {
		if p.Regression {
			all = append(all, p)
		}
	}
	return all
}

// tests returns the pairs of each test.
func (d *Diff) tests() (all [][]*Pair) {
	for i, p := range d.Pairs {
		if i == 0 || p.File != d.Pairs[i-1].File {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], p)
	}
	return all
}

// Of compares two sets. It returns an error if tests of one program have different options in the two sets, or if
// the sets have no row in common.
func Of(a, b Set, threshold float64) (*Diff, error) {
	d, err := common(a, b)
	if err != nil {
		return nil, err
	}
	d.Threshold = threshold
	for _, p := range d.Pairs {
		p.ValueA, p.ValueB = p.A.Value(p.Column), p.B.Value(p.Column)
		if p.A.KeepsRate() != p.B.KeepsRate() {
			p.judgeKeeping()
			continue
		}
		p.Ratio = confidence.OfSeparate(p.B.Series(p.Column), p.A.Series(p.Column), len(d.Pairs))
		p.judge(!p.Disturbed, threshold)
	}
	return d, nil
}

// judgeKeeping says what it means that only one row keeps its rate, unless it is disturbed.
func (p *Pair) judgeKeeping() {
	relation := rows.Slower
	if p.Keeps = "A"; p.B.KeepsRate() {
		p.Keeps, relation = "B", rows.Faster
	}
	if !p.Disturbed {
		p.Relation, p.Regression = relation, relation == rows.Slower
	}
}

// smallest is the slowdown from which a row may be slower.
var smallest = math.Expm1(confidence.MinGain)

// common returns the rows of two sets, without ratios.
func common(a, b Set) (*Diff, error) {
	matched, err := match(a, b)
	if err != nil {
		return nil, err
	}
	d := &Diff{}
	for _, m := range matched {
		d.addFile(m)
	}
	if len(d.Pairs) == 0 {
		return nil, fmt.Errorf("%s and %s have no row in common: measure the same message sizes and modes", a.Name, b.Name)
	}
	return d, nil
}

// addFile adds the rows of a pair of files, one of which may be missing.
func (d *Diff) addFile(m pairOfFiles) {
	theirs := map[string]rows.Entry{}
	for _, e := range entries(m.b) {
		theirs[rowKey(e)] = e
	}
	for _, e := range entries(m.a) {
		other, common := theirs[rowKey(e)]
		delete(theirs, rowKey(e))
		p := &Pair{File: m.a, Column: compared(m.a), A: e, B: other}
		if !common {
			d.OnlyA = append(d.OnlyA, p.Name())
			continue
		}
		if !p.A.KeepsRate() && !p.B.KeepsRate() {
			p.Column = result.ColumnOf(result.AnswersColumn)
		}
		p.Disturbed = rows.AnyDisturbed(p.A, p.B)
		d.Pairs = append(d.Pairs, p)
	}
	for _, e := range entries(m.b) {
		if _, left := theirs[rowKey(e)]; left {
			d.OnlyB = append(d.OnlyB, (&Pair{File: m.b, A: e}).Name())
		}
	}
}

// entries returns the rows of a file, without controls, and nothing for nil.
func entries(f *result.File) (all []rows.Entry) {
	if f == nil {
		return nil
	}
	for _, e := range groupOf(f).Entries() {
		if e.Name() != rows.ControlName {
			all = append(all, e)
		}
	}
	return all
}

func rowKey(e rows.Entry) string { return fmt.Sprint(e.Size, " ", e.Name()) }

func groupOf(f *result.File) *rows.Group { return rows.Single(f, f.Rows) }

// compared returns the column by which the rows of a file are compared.
func compared(f *result.File) *result.Column {
	return result.ColumnOf(groupOf(f).ComparedFields()[0])
}

// judge says what the pair's ratio means, if it is clear.
func (p *Pair) judge(clear bool, threshold float64) {
	if p.clear = clear; clear {
		p.Relation = rows.RelationOf(p.Column, p.Ratio)
	}
	p.Regression = p.Relation == rows.Slower && p.Slowdown() >= threshold
}

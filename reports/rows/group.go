// Package rows groups the runs of result files and relates their rows to each other: points of one
// message size, sweeps, values, ratios with intervals and relations, controls, warnings, and the
// reasons why a row has no ratio.
package rows

import (
	"slices"
	"strconv"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/result"
)

// A Group is the runs that measured the same and are shown together.
type Group struct {
	Op      option.Op
	Kind    option.Kind
	Verify  bool // every byte was checked, which lowers rates
	Along   Axis // the parameter in which the runs differ
	Runs    []*result.File
	Numbers []int // numbers of the runs in tables and plots, from 1
}

// Add appends a run.
func (g *Group) Add(f *result.File, number int) {
	g.Runs = append(g.Runs, f)
	g.Numbers = append(g.Numbers, number)
}

// Groups divides files by operation, kind and --verify, in the order of the files. Runs that differ
// only in the value on an axis form a group of their own.
func Groups(files []*result.File) []*Group {
	type key struct {
		op     option.Op
		kind   option.Kind
		verify bool
	}
	var order []key
	alike := map[key][]*result.File{}
	for _, f := range files {
		k := key{f.Op, f.Kind, f.Parameters.Verify}
		if alike[k] == nil {
			order = append(order, k)
		}
		alike[k] = append(alike[k], f)
	}
	var groups []*Group
	for _, k := range order {
		sweeps, rest := findSweeps(alike[k])
		if len(rest) > 0 {
			sweeps = append([]sweep{{runs: rest}}, sweeps...)
		}
		for _, s := range sweeps {
			g := &Group{Op: k.op, Kind: k.kind, Verify: k.verify, Along: s.along}
			for i, f := range s.runs {
				g.Add(f, i+1)
			}
			groups = append(groups, g)
		}
	}
	return groups
}

// Title returns the name of the test, and how its runs differ.
func (g *Group) Title() string {
	title := TestTitle(g.Op, g.Kind)
	switch {
	case g.Along != NoAxis:
		return title + " by " + g.Along.String()
	case g.Verify:
		return title + " with every byte checked"
	}
	return title
}

// Slug returns the prefix of the names of the group's figures and sections.
func (g *Group) Slug() string {
	words := []string{string(g.Op), string(g.Kind)}
	if g.Verify {
		words = append(words, "verify")
	}
	switch g.Along {
	case AlongQPs:
		words = append(words, "qps")
	case AlongGap:
		words = append(words, "pause")
	case AlongRate:
		words = append(words, "rate")
	}
	return phrase.Slug(words...)
}

// An Entry is one row and its run.
type Entry struct {
	Run  int // index into Group.Runs
	File *result.File
	*result.Row

	repeated repetition // of the row's run and size
}

// Entries returns the rows of all runs that have numbers of the group's kind.
func (g *Group) Entries() []Entry {
	var all []Entry
	for i, f := range g.Runs {
		repeated := repetitions(f)
		for j := range f.Rows {
			r := &f.Rows[j]
			e := Entry{Run: i, File: f, Row: r, repeated: repeated[r.Size]}
			if e.Measured(g.Kind) {
				all = append(all, e)
			}
		}
	}
	return all
}

// MeanOnly reports whether some row of the group has no latency statistic other than the mean, other than because it did not
// keep its rate.
func (g *Group) MeanOnly() bool {
	return g.Kind == option.KindLatency && slices.ContainsFunc(g.Entries(), func(e Entry) bool { return e.Latency.MeanOnly && e.Load == nil })
}

// Label returns the label of a run, or "" if the group has only one.
func (g *Group) Label(run int) string {
	switch {
	case g.Along != NoAxis:
		return g.Along.label(g.Runs[run])
	case len(g.Runs) < 2:
		return ""
	}
	return "[" + strconv.Itoa(g.Numbers[run]) + "]"
}

// ComparedFields returns the fields by which rows of the group are compared, the main one first.
func (g *Group) ComparedFields() []string {
	switch {
	case g.MeanOnly():
		return []string{"latency.mean_ns"}
	case g.Kind == option.KindLatency:
		return []string{"latency.p50_ns", "latency.p99_ns"}
	}
	return []string{"bandwidth.average_bytes_per_s"}
}

// Single returns the group of one run with the given rows.
func Single(f *result.File, rows []result.Row) *Group {
	whole := *f
	whole.Rows = rows
	return &Group{Op: f.Op, Kind: f.Kind, Runs: []*result.File{&whole}, Numbers: []int{1}}
}

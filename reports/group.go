package reports

import (
	"slices"
	"strconv"

	"github.com/ibperf/ibperf/reports/result"
)

// A Group is the runs that measured the same thing and are shown together.
type Group struct {
	Op, Kind string
	Verify   bool // every byte was checked, which takes time
	Along    Axis // what tells the runs apart
	Runs     []*result.File
	Numbers  []int // what tables and plots call the runs, from 1
}

// Add appends a run.
func (g *Group) Add(f *result.File, number int) {
	g.Runs = append(g.Runs, f)
	g.Numbers = append(g.Numbers, number)
}

// Groups lays files of the same operation and kind together, in the order in which they
// came. Those that are alike but for a number along an axis are a group of their own.
func Groups(files []*result.File) []*Group {
	type key struct {
		op, kind string
		verify   bool
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

// Title names what the runs measured.
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

// Slug begins the names of what is made of the group.
func (g *Group) Slug() string {
	words := []string{g.Op, g.Kind}
	if g.Verify {
		words = append(words, "verify")
	}
	switch g.Along {
	case AlongQPs:
		words = append(words, "qps")
	case AlongGap:
		words = append(words, "pause")
	}
	return Slug(words...)
}

// An Entry is one row and the run that it is of.
type Entry struct {
	Run  int // index into Group.Runs
	File *result.File
	*result.Row
}

// Entries returns the rows of all runs that hold numbers of the group's kind.
func (g *Group) Entries() []Entry {
	var all []Entry
	for i, f := range g.Runs {
		for j := range f.Rows {
			e := Entry{Run: i, File: f, Row: &f.Rows[j]}
			if e.Measured(g.Kind) {
				all = append(all, e)
			}
		}
	}
	return all
}

// meanOnly tells whether all that latencies of the group have in common is a mean.
func (g *Group) meanOnly() bool {
	return g.Kind == result.KindLatency && slices.ContainsFunc(g.Entries(), func(e Entry) bool { return e.Latency.MeanOnly })
}

// Label names a run where the group has several, and is empty otherwise.
func (g *Group) Label(run int) string {
	switch {
	case g.Along != NoAxis:
		return g.Along.label(g.Runs[run])
	case len(g.Runs) < 2:
		return ""
	}
	return "[" + strconv.Itoa(g.Numbers[run]) + "]"
}

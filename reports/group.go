package reports

import (
	"slices"
	"strconv"

	"github.com/ibperf/ibperf/reports/result"
)

// A Group is the runs that measured the same thing and are shown together.
type Group struct {
	Op, Kind string
	Runs     []*result.File
	Numbers  []int // what tables and plots call the runs, from 1
}

// Add appends a run.
func (g *Group) Add(f *result.File, number int) {
	g.Runs = append(g.Runs, f)
	g.Numbers = append(g.Numbers, number)
}

// groupFiles lays files of the same operation and kind together, in the order
// in which they came.
func groupFiles(files []*result.File) []*Group {
	var groups []*Group
	index := map[[2]string]*Group{}
	for _, f := range files {
		key := [2]string{f.Op, f.Kind}
		g := index[key]
		if g == nil {
			g = &Group{Op: f.Op, Kind: f.Kind}
			index[key] = g
			groups = append(groups, g)
		}
		g.Add(f, len(g.Runs)+1)
	}
	return groups
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
	if len(g.Runs) < 2 {
		return ""
	}
	return "[" + strconv.Itoa(g.Numbers[run]) + "]"
}

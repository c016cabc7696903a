package reports

import (
	"slices"
	"strconv"
)

// A group is the runs that measured the same thing and are shown together.
type group struct {
	op, kind string
	runs     []*File
	numbers  []int // what tables and plots call the runs, from 1
}

func (g *group) addRun(f *File, number int) {
	g.runs = append(g.runs, f)
	g.numbers = append(g.numbers, number)
}

// groupFiles lays files of the same operation and kind together, in the order
// in which they came.
func groupFiles(files []*File) []*group {
	var groups []*group
	index := map[[2]string]*group{}
	for _, f := range files {
		key := [2]string{f.Op, f.Kind}
		g := index[key]
		if g == nil {
			g = &group{op: f.Op, kind: f.Kind}
			index[key] = g
			groups = append(groups, g)
		}
		g.addRun(f, len(g.runs)+1)
	}
	return groups
}

// An entry is one row and the run that it is of.
type entry struct {
	run  int // index into group.runs
	file *File
	*Row
}

// entries returns the rows of all runs that hold numbers of the group's kind.
func (g *group) entries() []entry {
	var all []entry
	for i, f := range g.runs {
		for j := range f.Rows {
			e := entry{run: i, file: f, Row: &f.Rows[j]}
			if e.measured(g.kind) {
				all = append(all, e)
			}
		}
	}
	return all
}

// measured tells whether the row has the numbers of a kind.
func (r *Row) measured(kind string) bool {
	if kind == KindLatency {
		return r.Latency != nil
	}
	return r.Bandwidth != nil
}

// meanOnly tells whether all that latencies of the group have in common is a mean.
func (g *group) meanOnly() bool {
	return g.kind == KindLatency && slices.ContainsFunc(g.entries(), func(e entry) bool { return e.Latency.MeanOnly })
}

// label names a run where the group has several, and is empty otherwise.
func (g *group) label(run int) string {
	if len(g.runs) < 2 {
		return ""
	}
	return "[" + strconv.Itoa(g.numbers[run]) + "]"
}

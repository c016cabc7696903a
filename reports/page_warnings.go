package reports

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports/result"
)

// alarming are the warnings that say that numbers are wrong, unsafe or incomplete. All
// others say how to read numbers that are right.
var alarming = []string{"interrupted", "error", "forced-data"}

// Alarming tells whether a run of the group has an alarming warning, or wrong data.
func (g *Group) Alarming() bool { return len(alerts(g)) > 0 || verifyTable(g) != nil }

// alerts are the lines of a group that nobody may overlook.
func alerts(g *Group) []string {
	return runLines(g, func(w result.Warning) bool { return slices.Contains(alarming, w.ID) })
}

// quietWarnings are all other warnings about whole runs, and those that all rows of the
// group have, but none of those that are said elsewhere.
func quietWarnings(g *Group, elsewhere []string) []string {
	lines := runLines(g, func(w result.Warning) bool {
		return !slices.Contains(alarming, w.ID) && !slices.Contains(elsewhere, Clean(w.Text))
	})
	for _, text := range sharedByRows(g) {
		lines = addNew(lines, "All rows: "+text)
	}
	return lines
}

// runLines lists the warnings about runs that are wanted, each text once, with the runs
// that it is of if those are not all.
func runLines(g *Group, wanted func(result.Warning) bool) []string {
	var texts []string
	of := map[string][]string{}
	for i, f := range g.Runs {
		for _, w := range notices(f) {
			if text := Clean(w.Text); wanted(w) {
				texts = addNew(texts, text)
				of[text] = addNew(of[text], g.Label(i))
			}
		}
	}
	for i, text := range texts {
		if len(of[text]) < len(g.Runs) {
			texts[i] = g.runNames(of[text]) + ": " + text
		}
	}
	return texts
}

// runNames names runs by their labels: "[1], [2]", "QPs 4, 16".
func (g *Group) runNames(labels []string) string {
	text := strings.Join(labels, ", ")
	if g.Along == NoAxis {
		return text
	}
	name, unit := g.Along.heading()
	return strings.TrimSpace(name + " " + text + " " + unit)
}

// sharedByRows are the warnings that all rows of a group have, if there are several: they
// tell nothing apart.
func sharedByRows(g *Group) []string {
	all := g.Entries()
	if len(all) < 2 {
		return nil
	}
	var texts []string
	for _, w := range all[0].Warnings {
		if !slices.ContainsFunc(all, func(e Entry) bool { return !e.warnsOf(w.Text) }) {
			texts = addNew(texts, Clean(w.Text))
		}
	}
	return texts
}

func (e Entry) warnsOf(text string) bool {
	return slices.ContainsFunc(e.Warnings, func(w result.Warning) bool { return w.Text == text })
}

// hasWarning reports whether a row has a warning of an id.
func (e Entry) hasWarning(id string) bool {
	return slices.ContainsFunc(e.Warnings, func(w result.Warning) bool { return w.ID == id })
}

// footnotes are the warnings of rows that tell them apart, each text once, in the order
// in which they were asked for.
type footnotes struct {
	g     *Group
	texts []string
}

// marks are the numbers of the warnings of a row, from 1.
func (f *footnotes) marks(e Entry) (numbers []int) {
	everywhere := sharedByRows(f.g)
	for _, w := range e.Warnings {
		if text := Clean(w.Text); !slices.Contains(everywhere, text) {
			f.texts = addNew(f.texts, text)
			numbers = append(numbers, slices.Index(f.texts, text)+1)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

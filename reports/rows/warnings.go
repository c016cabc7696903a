package rows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/result"
)

// Notices returns the warnings about a whole run: those in the file, and those that follow from
// other members of the file.
func Notices(f *result.File) []result.Warning {
	all := slices.Clone(f.Warnings)
	add := func(id result.WarningID, text string) {
		if !slices.ContainsFunc(all, func(w result.Warning) bool { return w.ID == id }) {
			all = append(all, result.Warning{ID: id, Text: text})
		}
	}
	if f.Interrupted {
		add(result.WarnInterrupted, "the run was interrupted: the last row has fewer messages than were asked for")
	}
	if f.Error != "" {
		add(result.WarnError, "the run ended early: "+f.Error)
	}
	if slices.ContainsFunc(f.Rows, func(r result.Row) bool { return r.Forced }) {
		add(result.WarnForcedData, "data! rows are unsafe: they polled memory although the device does not promise the data order that this requires")
	}
	return all
}

// WarningLines returns every warning of a group in a line: those about runs once, those about rows
// with their sizes and modes. A warning that several runs share is one line that names them.
func (g *Group) WarningLines() []string {
	var texts []string
	labels := map[string][]string{}
	for i, f := range g.Runs {
		all := rowWarnings(f)
		for _, w := range slices.Backward(Notices(f)) {
			all = append([]string{w.Text}, all...)
		}
		for _, text := range all {
			text = printable.Clean(text)
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
			if l := g.Label(i); !slices.Contains(labels[text], l) {
				labels[text] = append(labels[text], l)
			}
		}
	}
	for i, text := range texts {
		whose := strings.Join(labels[text], " ")
		if g.Along != NoAxis {
			whose = g.RunNames(labels[text]) + ":"
		}
		texts[i] = strings.TrimSpace(whose + " " + text)
	}
	return texts
}

// rowWarnings returns the warnings about rows of a run, each text once, and one line for each mode
// about the variation of its rounds.
func rowWarnings(f *result.File) []string {
	where := map[string][]*result.Row{}
	var texts []string
	for i := range f.Rows {
		for _, w := range f.Rows[i].Warnings {
			if slices.Contains(variations, w.ID) {
				continue
			}
			text := lineOf(w)
			if where[text] == nil {
				texts = append(texts, text)
			}
			where[text] = append(where[text], &f.Rows[i])
		}
	}
	var lines []string
	for _, text := range texts {
		if holdsForAll(f, text) {
			lines = append(lines, "all rows: "+text)
			continue
		}
		lines = append(lines, fmt.Sprintf("size %s: %s", placeNames(f, where[text]), text))
	}
	return append(lines, variationLines(f)...)
}

// holdsForAll reports whether all rows of a run with several rows have the same warning.
func holdsForAll(f *result.File, text string) bool {
	return len(f.Rows) > 1 && !slices.ContainsFunc(f.Rows, func(r result.Row) bool {
		return !slices.ContainsFunc(r.Warnings, func(w result.Warning) bool { return lineOf(w) == text })
	})
}

// lineOf returns the text of a warning about rows, without figures that tables have.
func lineOf(w result.Warning) string {
	if w.ID == result.WarnBacklog {
		text, _, _ := strings.Cut(w.Text, "; ")
		return text
	}
	return w.Text
}

// placeNames lists rows by size and name: "2, 4, 64-8K data; 2 poll, event".
func placeNames(f *result.File, rows []*result.Row) string {
	var sizes []string
	names := map[string][]string{} // of rows of the same sizes
	for _, name := range result.NameOrder {
		var all, some []int
		for i := range f.Rows {
			if f.Rows[i].Name() == name {
				all = append(all, f.Rows[i].Size)
			}
		}
		for _, r := range rows {
			if r.Name() == name {
				some = append(some, r.Size)
			}
		}
		if len(some) > 0 {
			text := phrase.SizeRanges(all, some)
			sizes = phrase.AddNew(sizes, text)
			names[text] = append(names[text], name)
		}
	}
	for i, text := range sizes {
		sizes[i] = text + " " + strings.Join(names[text], ", ")
	}
	return strings.Join(sizes, "; ")
}

// Alarming lists the warnings that mean that numbers are wrong, unsafe or incomplete. Others say how
// to read numbers that are correct.
var Alarming = []result.WarningID{result.WarnInterrupted, result.WarnError, result.WarnForcedData}

// Alarming reports whether a run of the group has an alarming warning or corrupted data.
func (g *Group) Alarming() bool {
	return len(g.Alerts()) > 0 || slices.ContainsFunc(g.Entries(), func(e Entry) bool { return e.Verify != nil && e.Verify.Bad() > 0 })
}

// Alerts returns the alarming warnings about the runs of the group.
func (g *Group) Alerts() []string {
	return g.RunWarnings(func(w result.Warning) bool { return slices.Contains(Alarming, w.ID) })
}

// RunWarnings returns the wanted warnings about runs, each text once, with the runs that have it if
// those are not all.
func (g *Group) RunWarnings(wanted func(result.Warning) bool) []string {
	var texts []string
	labelsOf := map[string][]string{}
	for i, f := range g.Runs {
		for _, w := range Notices(f) {
			if text := printable.Clean(w.Text); wanted(w) {
				texts = phrase.AddNew(texts, text)
				labelsOf[text] = phrase.AddNew(labelsOf[text], g.Label(i))
			}
		}
	}
	for i, text := range texts {
		if len(labelsOf[text]) < len(g.Runs) {
			texts[i] = g.RunNames(labelsOf[text]) + ": " + text
		}
	}
	return texts
}

// RunNames lists runs by their labels: "[1], [2]", "QPs 4, 16".
func (g *Group) RunNames(labels []string) string {
	text := strings.Join(labels, ", ")
	if g.Along == NoAxis {
		return text
	}
	name, unit := g.Along.Heading()
	return strings.TrimSpace(name + " " + text + " " + unit)
}

// HasWarning reports whether the row has a warning of an id.
func (e Entry) HasWarning(id result.WarningID) bool {
	return slices.ContainsFunc(e.Warnings, func(w result.Warning) bool { return w.ID == id })
}

package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
)

// notices returns the warnings about a whole run, and those that follow from
// the file itself if the run did not give them.
func notices(f *result.File) []result.Warning {
	all := slices.Clone(f.Warnings)
	add := func(id, text string) {
		if !slices.ContainsFunc(all, func(w result.Warning) bool { return w.ID == id }) {
			all = append(all, result.Warning{ID: id, Text: text})
		}
	}
	if f.Interrupted {
		add("interrupted", "the run was interrupted: the last row counts fewer messages than were asked for")
	}
	if f.Error != "" {
		add("error", "the run ended early: "+f.Error)
	}
	if slices.ContainsFunc(f.Rows, func(r result.Row) bool { return r.Forced }) {
		add("forced-data", "data! rows are unsafe: they polled memory although the device does not promise the order that needs")
	}
	return all
}

// WarningLines returns every warning of a group: those of a run once, and those
// of rows with the sizes and modes they are about. What several runs warn of is
// one line that names them.
func (g *Group) WarningLines() []string {
	var texts []string
	labels := map[string][]string{}
	for i, f := range g.Runs {
		all := rowWarnings(f)
		for _, w := range slices.Backward(notices(f)) {
			all = append([]string{w.Text}, all...)
		}
		for _, text := range all {
			text = Clean(text)
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
			whose = g.runNames(labels[text]) + ":"
		}
		texts[i] = strings.TrimSpace(whose + " " + text)
	}
	return texts
}

// rowWarnings returns the warnings of the rows of a run, equal ones in a line.
func rowWarnings(f *result.File) []string {
	where := map[string][]*result.Row{}
	var texts []string
	for i := range f.Rows {
		for _, w := range f.Rows[i].Warnings {
			if where[w.Text] == nil {
				texts = append(texts, w.Text)
			}
			where[w.Text] = append(where[w.Text], &f.Rows[i])
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
	return lines
}

// holdsForAll tells whether every row of a run, if it has several, is warned of the same:
// then it tells nothing apart.
func holdsForAll(f *result.File, text string) bool {
	return len(f.Rows) > 1 && !slices.ContainsFunc(f.Rows, func(r result.Row) bool {
		return !slices.ContainsFunc(r.Warnings, func(w result.Warning) bool { return w.Text == text })
	})
}

// placeNames names rows by size and name: "2, 4, 64-8K data; 2 poll, event".
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
			text := sizeRanges(all, some)
			sizes = addNew(sizes, text)
			names[text] = append(names[text], name)
		}
	}
	for i, text := range sizes {
		sizes[i] = text + " " + strings.Join(names[text], ", ")
	}
	return strings.Join(sizes, "; ")
}

// sizeRanges lists the sizes in some, with three or more neighbours in all as
// first-last.
func sizeRanges(all, some []int) string { return ranges(all, some, units.Size) }

// ranges lists the values in some as text has them, with three or more neighbours in all
// as first-last.
func ranges(all, some []int, text func(int) string) string {
	var parts []string
	for i := 0; i < len(some); {
		at := slices.Index(all, some[i])
		n := 1
		for i+n < len(some) && at+n < len(all) && all[at+n] == some[i+n] {
			n++
		}
		if n < 3 {
			n = 1
			parts = append(parts, text(some[i]))
		} else {
			parts = append(parts, text(some[i])+"-"+text(some[i+n-1]))
		}
		i += n
	}
	return strings.Join(parts, ", ")
}

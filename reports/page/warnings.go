package page

import (
	"slices"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// quietWarnings returns the other warnings about runs and those that all rows of the group have,
// except those that the page has elsewhere.
func quietWarnings(g *rows.Group, elsewhere []string) []string {
	lines := g.RunWarnings(func(w result.Warning) bool {
		return !slices.Contains(rows.Alarming, w.ID) && !slices.Contains(elsewhere, printable.Clean(w.Text))
	})
	for _, text := range sharedByRows(g) {
		lines = phrase.AddNew(lines, "All rows: "+text)
	}
	return lines
}

// sharedByRows returns the warnings that all rows of a group with several rows have.
func sharedByRows(g *rows.Group) []string {
	all := g.Entries()
	if len(all) < 2 {
		return nil
	}
	var texts []string
	for _, w := range all[0].Warnings {
		if !slices.ContainsFunc(all, func(e rows.Entry) bool { return !warnsOf(e, w.Text) }) {
			texts = phrase.AddNew(texts, printable.Clean(w.Text))
		}
	}
	return texts
}

func warnsOf(e rows.Entry, text string) bool {
	return slices.ContainsFunc(e.Warnings, func(w result.Warning) bool { return w.Text == text })
}

// footnotes collects the warnings that only some rows have, each text once.
type footnotes struct {
	shared []string // of all rows: no footnotes
	texts  []string
}

// marks returns the numbers of a row's footnotes, from 1.
func (f *footnotes) marks(e rows.Entry) (numbers []int) {
	for _, w := range e.Warnings {
		if text := printable.Clean(w.Text); !slices.Contains(f.shared, text) {
			f.texts = phrase.AddNew(f.texts, text)
			numbers = append(numbers, slices.Index(f.texts, text)+1)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

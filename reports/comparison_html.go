package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// RatioSlug begins the names of the figures of comparisons.
const RatioSlug = "side_by_side"

// section is what a page says of comparisons.
func (cs comparisons) section() section {
	s := section{
		Title:       cs.title(),
		Warnings:    cs.warningLines(),
		Main:        ratioMeaning,
		Notes:       cs.numberedNotes(),
		Definitions: definitionList(cs[0].Definitions, cs[0].Units),
	}
	for _, c := range cs {
		s.Runs = append(s.Runs, newComparisonView(c))
	}
	if len(cs.lines()) > 0 {
		s.Tables = []*table{cs.table(false)}
	}
	return s
}

// newComparisonView says of every line what both programs did.
func newComparisonView(c *Comparison) runView {
	v := runView{
		Line:     c.Title() + ": " + clean(c.Machine.Host),
		Command:  clean(strings.Join(c.Command, " ")),
		Heads:    [2]string{"subject", "reference"},
		Settings: append(c.facts(), []string{"Started", c.Started.UTC().Format("2006-01-02 15:04:05 UTC")}),
	}
	for i := range c.Lines {
		l := &c.Lines[i]
		name := l.name() + l.parameterText()
		v.Facts = append(v.Facts,
			[3]string{name, l.Subject.Label(), l.Reference.Label()},
			[3]string{"", clean(l.Subject.Definition), clean(l.Reference.Definition)},
			[3]string{"", clean(strings.Join(l.Subject.Command, " ")), clean(strings.Join(l.Reference.Command, " "))})
	}
	return v
}

// parameterText lists the parameters of a line behind its name.
func (l *Line) parameterText() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(l.Parameters)) {
		fmt.Fprintf(&b, ", %s %d", clean(name), l.Parameters[name])
	}
	return b.String()
}

package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// slug begins the names of a comparison's figures.
func (c *Comparison) slug() string {
	return slug("side_by_side", c.Subject.Name, c.Reference.Name, c.Machine.Device)
}

func comparisonSection(c *Comparison) section {
	s := section{
		Title:       c.title(),
		Warnings:    c.warningLines(),
		Main:        c.ratioMeaning(),
		Notes:       c.numberedNotes(),
		Definitions: definitionList(c.Definitions, c.Units),
		Runs:        []runView{newComparisonView(c)},
	}
	if len(c.Lines) > 0 {
		s.Tables = []*table{comparisonTable(c, false)}
	}
	return s
}

// newComparisonView says of every line what both programs did.
func newComparisonView(c *Comparison) runView {
	v := runView{
		Line:     clean(fmt.Sprintf("%s %s and %s %s on %s", c.Subject.Name, c.Subject.Release, c.Reference.Name, c.Reference.Release, c.Machine.Device)),
		Command:  clean(strings.Join(c.Command, " ")),
		Heads:    [2]string{clean(c.Subject.Name), clean(c.Reference.Name)},
		Settings: append(c.facts(), []string{"Started", c.Started.UTC().Format("2006-01-02 15:04:05 UTC")}),
	}
	for i := range c.Lines {
		l := &c.Lines[i]
		name := l.name() + l.parameterText()
		v.Facts = append(v.Facts,
			[3]string{name, clean(l.Subject.Definition), clean(l.Reference.Definition)},
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

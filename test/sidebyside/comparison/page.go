package comparison

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"github.com/ibperf/ibperf/reports/table"
)

// slug begins the names of the figures.
const slug = "side_by_side"

// Draw draws comparisons in the folder dir, which is created if it does not exist, and
// writes a page about them there. It returns the names of the files.
func (cs Set) Draw(dir string) ([]string, error) {
	var all []*sketch.Sketch
	for _, c := range cs {
		all = append(all, sketches(c)...)
	}
	figures, err := sketch.Save(dir, all)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, f := range figures {
		files = append(files, f.PNG, f.SVG)
	}
	path := filepath.Join(dir, "index.html")
	if err := page.Write(path, page.Page{
		Title:       cs.title(),
		Sections:    []page.Section{cs.section()},
		Figures:     figures,
		Definitions: reports.Definitions(cs[0].Definitions, cs[0].Units),
	}); err != nil {
		return nil, err
	}
	return append(files, path), nil
}

// section is what a page says of comparisons.
func (cs Set) section() page.Section {
	s := page.Section{
		ID:       slug,
		Slug:     slug,
		Title:    "Subject beside reference",
		Warnings: cs.warningLines(),
		Notes:    append([]string{ratioMeaning}, cs.numberedNotes()...),
	}
	for _, c := range cs {
		s.Runs = append(s.Runs, newRun(c))
	}
	if len(cs.lines()) > 0 {
		s.Tables = []*table.Table{cs.table()}
	}
	return s
}

// newRun says of every line what both programs did.
func newRun(c *Comparison) page.Run {
	v := page.Run{
		Line:     c.Title() + ": " + reports.Clean(c.Machine.Host),
		Command:  reports.Clean(strings.Join(c.Command, " ")),
		Facts:    page.Facts{Heads: [2]string{"subject", "reference"}},
		Settings: append(c.facts(), []string{"Started", c.Started.UTC().Format("2006-01-02 15:04:05 UTC")}),
	}
	for i := range c.Lines {
		l := &c.Lines[i]
		name := l.name() + l.parameterText()
		v.Facts.Rows = append(v.Facts.Rows,
			[3]string{name, l.Subject.Label(), l.Reference.Label()},
			[3]string{"", reports.Clean(l.Subject.Definition), reports.Clean(l.Reference.Definition)},
			[3]string{"", reports.Clean(strings.Join(l.Subject.Command, " ")), reports.Clean(strings.Join(l.Reference.Command, " "))})
	}
	return v
}

// parameterText lists the parameters of a line behind its name.
func (l *Line) parameterText() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(l.Parameters)) {
		fmt.Fprintf(&b, ", %s %d", reports.Clean(name), l.Parameters[name])
	}
	return b.String()
}

package diff

import (
	"strings"

	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/rows"
)

// WritePage writes the answer and the tables as an HTML page.
func (d *Diff) WritePage(path string, a, b Set) error {
	p := page.Page{Title: b.Name + " (B) against " + a.Name + " (A)", Alarming: len(d.Regressions()) > 0}
	for _, line := range d.answer() {
		p.Brief = append(p.Brief, page.Paragraph{Text: line, Strong: strings.HasPrefix(line, "REGRESSION")})
	}
	tables := page.Section{ID: "rows", Title: "Rows", Tables: d.tables(), Notes: []string{strings.Join(strings.Fields(d.explained()), " ")}}
	p.Sections = append(p.Sections, tables)
	for i, set := range []Set{a, b} {
		s := page.Section{ID: strings.ToLower(letters[i]), Title: letters[i] + ": " + set.Name}
		for _, f := range set.Files {
			s.Notes = append(s.Notes, rows.RunLine(f))
		}
		p.Sections = append(p.Sections, s)
	}
	return p.Write(path)
}

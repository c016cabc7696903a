package diff

import (
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/rows"
)

// WritePage writes the answer and the tables as an HTML page.
func (d *Diff) WritePage(path string, a, b Set) error {
	slower := len(d.Regressions())
	p := page.Page{Title: b.Name + " (B) against " + a.Name + " (A)", Alarming: slower > 0}
	if slower > 0 {
		p.Brief = append(p.Brief, page.Paragraph{Text: fmt.Sprintf("B is slower in %d of %d rows.", slower, len(d.Pairs)), Strong: true})
	}
	for _, line := range d.answer() {
		p.Brief = append(p.Brief, page.Paragraph{Text: line})
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

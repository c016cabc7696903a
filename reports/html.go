package reports

import (
	"maps"
	"slices"

	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/reports/table"
)

// WriteHTML writes one page about runs to path. The figures, made by plots.Draw of
// the same runs, become part of the page, which needs nothing else.
func WriteHTML(path string, runs []*result.File, figures []page.Figure) error {
	var sections []page.Section
	for _, g := range Groups(runs) {
		sections = append(sections, newSection(g))
	}
	return page.Write(path, "RDMA benchmark results", sections, figures)
}

func newSection(g *Group) page.Section {
	s := page.Section{
		Title:    g.Title(),
		Slug:     Slug(g.Op, g.Kind) + "_",
		Warnings: g.WarningLines(),
		Verify:   verifyLine(g),
		Failed:   verifyTable(g) != nil,
		Main:     mainDefinition(g),
	}
	if len(g.Entries()) > 0 {
		side := compareModes(g, false)
		s.SideBySide, s.Notes = side.tables, slices.Concat(side.notes, notes(g))
		s.Tables = append([]*table.Table{summaryTable(g)}, detailTables(g, false)...)
		if t := verifyTable(g); t != nil {
			s.Tables = append([]*table.Table{t}, s.Tables...)
		}
	}
	for i, f := range g.Runs {
		s.Runs = append(s.Runs, newRun(g.Label(i), f))
	}
	defs := g.Runs[0].Definitions
	if len(defs) == 0 {
		defs = result.DefinitionsFor(g.Kind, g.Op)
	}
	s.Definitions = Definitions(defs, g.Runs[0].Units)
	return s
}

// Definitions lists names and meanings, with units, in the order of the names.
func Definitions(defs, units map[string]string) [][2]string {
	var list [][2]string
	for _, name := range slices.Sorted(maps.Keys(defs)) {
		text := Clean(defs[name])
		if unit := units[name]; unit != "" {
			text += " [" + Clean(unit) + "]"
		}
		list = append(list, [2]string{Clean(name), text})
	}
	return list
}

package page

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/reports/table"
	"github.com/ibperf/ibperf/reports/tables"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
)

// Write writes a page about runs to path. The figures, which plots.Draw made from the same runs,
// become part of the page.
func Write(path string, runs []*result.File, figures []Figure) error {
	groups := sorted(rows.Groups(runs))
	common := commonTo(runs, len(groups))
	p := Page{
		Title: title(groups), Lead: lead(runs), Software: common.software, Warnings: common.warnings,
		Figures: figures, Facts: common.facts, Definitions: definitions(groups),
	}
	for _, f := range result.FindingsOf(runs) {
		p.Warnings = append(p.Warnings, "Finding: "+printable.Clean(f.Line()))
	}
	ids := map[string]bool{}
	for _, g := range groups {
		s := newSection(g, common)
		s.ID = freeID(ids, g.Slug())
		p.Sections = append(p.Sections, s)
	}
	if v := verdict.Judge(runs); v != nil {
		p.addVerdict(v, runs, groups)
	}
	return p.Write(path)
}

// sorted returns groups in the order of operations, latency before bandwidth, and checked runs last.
func sorted(groups []*rows.Group) []*rows.Group {
	last := map[bool]int{true: 1}
	place := func(g *rows.Group) []int {
		return []int{last[g.Verify], slices.Index(option.Ops(), g.Op), last[g.Kind == option.KindBandwidth], int(g.Along)}
	}
	slices.SortStableFunc(groups, func(a, b *rows.Group) int { return slices.Compare(place(a), place(b)) })
	return groups
}

// freeID returns id, or id with a number if another section has that id.
func freeID(taken map[string]bool, id string) string {
	free := id
	for i := 2; taken[free]; i++ {
		free = id + "_" + strconv.Itoa(i)
	}
	taken[free] = true
	return free
}

func newSection(g *rows.Group, common shared) Section {
	s := Section{
		Title:     g.Title(),
		Slug:      g.Slug(),
		RunsTitle: runsTitle(g),
		Alerts:    g.Alerts(),
		Warnings:  quietWarnings(g, common.warnings),
		Tables:    tables.Corrupted(g),
	}
	if line := tables.DataCheck(g); len(s.Tables) > 0 {
		s.Alerts = append(s.Alerts, line)
	} else {
		s.Verify = line
	}
	if len(g.Entries()) > 0 {
		s.Table = mergedTable(g)
		side := tables.SideBySide(g)
		if len(side.Tables) == 0 {
			side.Notes = tables.ValueNotes(g) // of the one mode
		}
		s.Notes = append([]string{tables.MainDefinition(g)}, side.Notes...)
		s.Details = slices.DeleteFunc(slices.Concat(tables.Devices(g), []*table.Table{tables.Statistics(g)}, tables.Load(g), tables.WorkAndCost(g)), func(t *table.Table) bool {
			return len(t.Columns) == t.Keys // files of old releases do not have its numbers
		})
	}
	s.Notes = append(s.Notes, tables.Notes(g)...)
	s.Runs, s.Settings = newRuns(g, common)
	if s.Repeat = s.Runs[0].Repeat; len(s.Runs) > 1 {
		s.Repeat.What = cmp.Or(s.Runs[0].Label, "the first run")
	}
	return s
}

// definitions returns the definitions of all groups. A name with several definitions has the test in
// front of each.
func definitions(groups []*rows.Group) [][2]string {
	var names []string
	texts := map[string][][2]string{} // by name: meaning, and whose
	for _, g := range groups {
		defs := g.Runs[0].Definitions
		if len(defs) == 0 {
			defs = result.DefinitionsFor(g.Kind, g.Op)
		}
		for _, d := range withUnits(defs, g.Runs[0].Units) {
			names = phrase.AddNew(names, d[0])
			if !slices.ContainsFunc(texts[d[0]], func(t [2]string) bool { return t[0] == d[1] }) {
				texts[d[0]] = append(texts[d[0]], [2]string{d[1], rows.TestTitle(g.Op, g.Kind)})
			}
		}
	}
	slices.Sort(names)
	var list [][2]string
	for _, name := range names {
		for _, t := range texts[name] {
			if len(texts[name]) > 1 {
				t[0] = t[1] + ": " + t[0]
			}
			list = append(list, [2]string{name, t[0]})
		}
	}
	return list
}

// withUnits returns names and meanings with units, sorted by name.
func withUnits(defs, units map[string]string) [][2]string {
	var list [][2]string
	for _, name := range slices.Sorted(maps.Keys(defs)) {
		text := printable.Clean(defs[name])
		if unit := units[name]; unit != "" {
			text += " [" + printable.Clean(unit) + "]"
		}
		list = append(list, [2]string{printable.Clean(name), text})
	}
	return list
}

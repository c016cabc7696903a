package reports

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/reports/table"
)

// WriteHTML writes one page about runs to path. The figures, made by plots.Draw of
// the same runs, become part of the page, which needs nothing else.
func WriteHTML(path string, runs []*result.File, figures []page.Figure) error {
	groups := Groups(runs)
	common := commonTo(runs, len(groups))
	p := page.Page{
		Title: "RDMA benchmark results", Lead: lead(runs), Software: common.software, Warnings: common.warnings,
		Figures: figures, Facts: common.facts, Definitions: definitions(groups),
	}
	ids := map[string]bool{}
	for _, g := range groups {
		s := newSection(g, common)
		s.ID = freeID(ids, g.Slug())
		p.Sections = append(p.Sections, s)
	}
	if v := Judge(runs); v != nil {
		p.Answers = answers(v)
		if len(groups) > 1 { // a card for the only section would say what stands above it
			p.Cards = cards(v, groups, p.Sections)
		}
	}
	return page.Write(path, p)
}

// freeID returns id, or id with a number if another section has it.
func freeID(taken map[string]bool, id string) string {
	free := id
	for i := 2; taken[free]; i++ {
		free = id + "_" + strconv.Itoa(i)
	}
	taken[free] = true
	return free
}

func answers(v *Verdict) (all []page.Answer) {
	for _, a := range v.Answers {
		all = append(all, page.Answer{Question: a.Question, Lines: a.Lines, Bad: a.Bad})
	}
	return all
}

// cards links each card to the section of its test: not one along an axis, nor of runs
// whose every byte was checked, if there is another.
func cards(v *Verdict, groups []*Group, sections []page.Section) (all []page.Card) {
	for _, c := range v.Cards {
		best := -1
		for i, g := range groups {
			if g.Op == c.Op && g.Kind == c.Kind && (best < 0 || len(g.Slug()) < len(groups[best].Slug())) {
				best = i
			}
		}
		if best >= 0 {
			all = append(all, page.Card{Section: sections[best].ID, Title: c.Title, Lines: firstLines(c.Lines)})
		}
	}
	return all
}

// firstLines are the first of a card's lines, few enough to be read at a glance.
func firstLines(all []string) []string {
	const most = 4
	if len(all) <= most {
		return all
	}
	return append(slices.Clone(all[:most-1]), "more in the section")
}

// lead says what was measured where: devices, connections, hosts and days, each once.
func lead(runs []*result.File) string {
	var devices, connections, hosts, days []string
	for _, f := range runs {
		devices = addNew(devices, between(f.Local.Device.Name, f.Peer.Device.Name))
		connections = addNew(connections, Connection(f))
		hosts = addNew(hosts, between(f.Local.Host, f.Peer.Host))
		if !f.Started.IsZero() {
			days = addNew(days, f.Started.UTC().Format("2006-01-02"))
		}
	}
	var parts []string
	for _, list := range [][]string{devices, connections, hosts, days} {
		if text := strings.Join(list, ", "); text != "" {
			parts = append(parts, text)
		}
	}
	return Clean(strings.Join(parts, " · "))
}

// between names both ends, or the one that both are.
func between(here, there string) string {
	if here == there || there == "" {
		return here
	}
	return here + " and " + there
}

func newSection(g *Group, common shared) page.Section {
	s := page.Section{
		Title:     g.Title(),
		Slug:      g.Slug(),
		RunsTitle: runsTitle(g),
		Alerts:    alerts(g),
		Warnings:  quietWarnings(g, common.warnings),
		Tables:    verifyTables(g),
	}
	if line := verifyLine(g); len(s.Tables) > 0 {
		s.Alerts = append(s.Alerts, line)
	} else {
		s.Verify = line
	}
	if len(g.Entries()) > 0 {
		s.Table = mergedTable(g)
		side := compareModes(g, false)
		if len(side.tables) == 0 {
			side.notes = medianRoundNotes(g) // of the one mode
		}
		s.Notes = append([]string{mainDefinition(g)}, side.notes...)
		s.Details = slices.DeleteFunc(slices.Concat([]*table.Table{statisticsTable(g)}, workTables(g, false)), func(t *table.Table) bool {
			return len(t.Columns) == t.Keys // files of old releases do not have its numbers
		})
	}
	s.Notes = append(s.Notes, notes(g)...)
	s.Runs, s.Settings = newRuns(g, common)
	return s
}

// definitions are those of all groups, each name once; what a name means in one kind of
// test only is said with its title.
func definitions(groups []*Group) [][2]string {
	var names []string
	texts := map[string][][2]string{} // by name: meaning, and whose
	for _, g := range groups {
		defs := g.Runs[0].Definitions
		if len(defs) == 0 {
			defs = result.DefinitionsFor(g.Kind, g.Op)
		}
		for _, d := range Definitions(defs, g.Runs[0].Units) {
			names = addNew(names, d[0])
			if !slices.ContainsFunc(texts[d[0]], func(t [2]string) bool { return t[0] == d[1] }) {
				texts[d[0]] = append(texts[d[0]], [2]string{d[1], TestTitle(g.Op, g.Kind)})
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

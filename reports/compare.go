package reports

import (
	"slices"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/reports/table"
)

// A comparison is what is shown of rows side by side: tables, and what is to be known
// about them.
type comparison struct {
	tables []*table.Table
	notes  []string
}

// compareModes puts the completion modes of a group side by side. There is nothing to
// show if only one was measured.
func compareModes(g *Group, gbits bool) comparison {
	lineups := lineUp(g)
	names := namesOf(lineups)
	if len(names) < 2 {
		return comparison{}
	}
	all := comparison{notes: medianRoundNotes(g)}
	for _, field := range compared(g) {
		t, notes := valueTable(g, lineups, names, result.ColumnOf(field), gbits)
		all.tables = append(all.tables, t)
		for _, note := range notes {
			all.notes = addNew(all.notes, note)
		}
	}
	for _, pair := range sidesCompared {
		if t := sidesTable(g, lineups, names, pair); t != nil {
			all.tables = append(all.tables, t)
		}
	}
	all.notes = append(all.notes, noRatioLines(lineups, names)...)
	if line := differences(lineups, names); line != "" {
		all.notes = append(all.notes, line)
	}
	return all
}

// compared lists the fields that rows of a group are compared by.
func compared(g *Group) []string {
	switch {
	case g.meanOnly():
		return []string{"latency.mean_ns"}
	case g.Kind == result.KindLatency:
		return []string{"latency.p50_ns", "latency.p99_ns"}
	}
	return []string{"bandwidth.average_bytes_per_s"}
}

// valueTable is a line for each size, with the values of all rows and, where rounds have
// the number, the ratios; and what is to be said of these.
func valueTable(g *Group, lineups []*lineup, names []string, c *result.Column, gbits bool) (*table.Table, []string) {
	t := compareTable(g, lineups, g.comparedTitle(c))
	var notes []string
	ratios := map[string][]string{} // by name, of each size
	for _, name := range names {
		to := baseOf(lineups, name)
		for _, l := range lineups {
			cell := ratioCell{text: result.Unmeasured}
			e, base := l.rows[name], l.rows[to]
			if c.Round != nil && name != to && e.Row != nil && base.Row != nil {
				cell = ratioOf(c, e, base)
				for _, note := range cell.notes {
					notes = addNew(notes, note)
				}
			}
			ratios[name] = append(ratios[name], cell.text)
		}
		t.Columns = append(t.Columns, table.Column{Name: name, Unit: c.Shown(gbits)})
		if compares(ratios[name]) {
			t.Columns = append(t.Columns, table.Column{Name: "ratio", Unit: "to " + to, Left: true, With: true})
		}
	}
	for i, l := range lineups {
		cells := place(l.label(g), l.size)
		for _, name := range names {
			cells = append(cells, l.text(name, c, gbits))
			if compares(ratios[name]) {
				cells = append(cells, ratios[name][i])
			}
		}
		t.Add(cells...)
	}
	return t, notes
}

// compares tells whether there is a ratio among texts.
func compares(texts []string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return s != result.Unmeasured })
}

// baseOf is what rows of a name are compared with.
func baseOf(lineups []*lineup, name string) string {
	for _, l := range lineups {
		if e := l.rows[name]; e.Row != nil {
			return e.Base()
		}
	}
	return ""
}

// text is a value of a row, marked if it is of unsafe data.
func (l *lineup) text(name string, c *result.Column, gbits bool) string {
	e := l.rows[name]
	if e.Row == nil {
		return result.Unmeasured
	}
	return e.text(c, gbits) + e.ForcedMark()
}

// A sidePair is a number of both sides: what tables of it are called, what its column in
// others is, and the fields of both.
type sidePair struct{ title, head, unit, here, peer string }

// sidesCompared are what waiting costs, here and at the peer.
var sidesCompared = []sidePair{
	{"Core busy, here / at the peer", "core busy", "%", "local.busy", "peer.busy"},
	{"Wake-ups per message, here / at the peer", "wake-ups", "/msg", "local.sleeps_per_message", "peer.sleeps_per_message"},
}

// sidesTable is a line for each size, with a number of both sides of all rows, nil if
// it is 0 in all of them.
func sidesTable(g *Group, lineups []*lineup, names []string, pair sidePair) *table.Table {
	here, peer := result.ColumnOf(pair.here), result.ColumnOf(pair.peer)
	t := compareTable(g, lineups, pair.title)
	for _, name := range names {
		t.Columns = append(t.Columns, table.Column{Name: name, Unit: pair.unit})
	}
	some := false
	for _, l := range lineups {
		cells := place(l.label(g), l.size)
		for _, name := range names {
			cell := result.Unmeasured
			if r := l.rows[name].Row; r != nil {
				cell = here.Text(r, false) + " / " + peer.Text(r, false)
				some = some || here.Value(r) != 0 || peer.Value(r) != 0
			}
			cells = append(cells, cell)
		}
		t.Add(cells...)
	}
	if !some {
		return nil
	}
	return t
}

// compareTable begins a table of lineups.
func compareTable(g *Group, lineups []*lineup, title string) *table.Table {
	return newTable(title+": completion modes side by side", g, len(g.Runs) > 1 && lineups[0].run >= 0)
}

// label names the run of a lineup where runs are not laid together.
func (l *lineup) label(g *Group) string {
	if l.run < 0 {
		return ""
	}
	return g.Label(l.run)
}

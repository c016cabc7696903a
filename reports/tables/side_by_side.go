// Package tables makes the tables about a group of runs, which text and page show: completion modes
// side by side, statistics, work and cost, corrupted messages. It also makes the notes below them.
package tables

import (
	"slices"

	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/reports/table"
	"github.com/ibperf/ibperf/result"
)

// A Comparison is the tables that show the completion modes of a group side by side, and the notes
// below them.
type Comparison struct {
	Tables []*table.Table
	Notes  []string
}

// SideBySide compares the completion modes of a group. The result is empty if only one mode was
// measured.
func SideBySide(g *rows.Group) Comparison {
	points := g.Points()
	names := rows.Names(points)
	if len(names) < 2 {
		return Comparison{}
	}
	all := Comparison{Notes: ValueNotes(g)}
	for _, field := range g.ComparedFields() {
		t, notes := valueTable(g, points, names, result.ColumnOf(field))
		all.Tables = append(all.Tables, t)
		for _, note := range notes {
			all.Notes = phrase.AddNew(all.Notes, note)
		}
	}
	if !allKeepRates(points) {
		t, _ := valueTable(g, points, names, result.ColumnOf(result.AnswersColumn))
		all.Tables = append(all.Tables, t)
	}
	for _, pair := range SidesCompared {
		if t := sidesTable(g, points, names, pair); t != nil {
			all.Tables = append(all.Tables, t)
		}
	}
	all.Notes = append(all.Notes, noRatioLines(points, names)...)
	if line := rows.Differences(points, names); line != "" {
		all.Notes = append(all.Notes, line)
	}
	return all
}

// valueTable returns a table with a line for each point: the values of all modes and, for numbers
// that rounds have, the ratios and the control. It also returns the notes that explain them.
func valueTable(g *rows.Group, points []*rows.Point, names []string, c *result.Column) (*table.Table, []string) {
	t := NewPointsTable(g, points, c.Title)
	var notes []string
	ratios := map[string][]string{} // by name, one for each point
	compared := rows.Ratios{}
	if c.Round != nil {
		compared = g.RatiosOf(c)
	}
	for _, name := range append(slices.Clone(names), rows.ControlName) {
		for _, p := range points {
			cell := ratioCell(compared, p, name, c)
			ratios[name] = append(ratios[name], cell.Text())
			for _, note := range cell.Notes {
				notes = phrase.AddNew(notes, note)
			}
			if name != rows.ControlName && p.Rows[name].Row != nil && p.Rows[name].Marks() != p.Rows[name].ForcedMark() {
				notes = phrase.AddNew(notes, rows.NoteMarks)
			}
		}
	}
	for _, name := range names {
		t.Columns = append(t.Columns, table.Column{Name: name, Unit: c.Shown()})
		if compares(ratios[name]) {
			t.Columns = append(t.Columns, table.Column{Name: "ratio", Unit: "to " + rows.BaseName(points, name), Left: true, With: true})
		}
	}
	if compares(ratios[rows.ControlName]) {
		t.Columns = append(t.Columns, table.Column{Name: "control", Unit: "to " + result.BaseName, Left: true})
	}
	for i, p := range points {
		cells := KeyCells(p.Label(g), p.Size)
		for _, name := range names {
			cells = append(cells, valueText(p, name, c))
			if compares(ratios[name]) {
				cells = append(cells, ratios[name][i])
			}
		}
		if compares(ratios[rows.ControlName]) {
			cells = append(cells, ratios[rows.ControlName][i])
		}
		t.Add(cells...)
	}
	return t, notes
}

// ratioCell returns the ratio of a row of a point, which is empty if the row is not compared.
func ratioCell(ratios rows.Ratios, p *rows.Point, name string, c *result.Column) rows.RatioCell {
	e := p.Rows[name]
	if c.Round == nil || e.Row == nil || e.Base() == name || p.Rows[e.Base()].Row == nil {
		return rows.RatioCell{Number: result.Unmeasured}
	}
	return ratios.Cell(c, e, p.Rows[e.Base()])
}

// compares reports whether texts has a ratio.
func compares(texts []string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return s != result.Unmeasured })
}

// valueText returns a value of a row with its marks.
func valueText(p *rows.Point, name string, c *result.Column) string {
	e := p.Rows[name]
	if e.Row == nil {
		return result.Unmeasured
	}
	if c.Round == nil {
		return e.ValueText(c) + e.ForcedMark()
	}
	return e.ValueText(c) + e.Marks()
}

// allKeepRates reports whether all rows of points answer as many messages as are due.
func allKeepRates(points []*rows.Point) bool {
	return !slices.ContainsFunc(points, func(p *rows.Point) bool {
		for _, e := range p.Rows {
			if !e.KeepsRate() {
				return true
			}
		}
		return false
	})
}

// A SidePair is a number that both sides have: the title of its table, the head of its column, and
// the field of each side.
type SidePair struct{ title, Head, Unit, Here, Peer string }

// SidesCompared lists the numbers of what waiting costs each side.
var SidesCompared = []SidePair{
	{"Core busy, here / at the peer", "core busy", "%", "local.busy", "peer.busy"},
	{"Wake-ups per message, here / at the peer", "wake-ups", "/msg", "local.sleeps_per_message", "peer.sleeps_per_message"},
}

// sidesTable returns a table with a number of both sides for each point, or nil if the number is 0
// in all rows.
func sidesTable(g *rows.Group, points []*rows.Point, names []string, pair SidePair) *table.Table {
	here, peer := result.ColumnOf(pair.Here), result.ColumnOf(pair.Peer)
	t := NewPointsTable(g, points, pair.title)
	for _, name := range names {
		t.Columns = append(t.Columns, table.Column{Name: name, Unit: pair.Unit})
	}
	some := false
	for _, p := range points {
		cells := KeyCells(p.Label(g), p.Size)
		for _, name := range names {
			cell := result.Unmeasured
			if r := p.Rows[name].Row; r != nil {
				cell = here.Text(r) + " / " + peer.Text(r)
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

// NewPointsTable returns a table with the key columns of points.
func NewPointsTable(g *rows.Group, points []*rows.Point, title string) *table.Table {
	return newTable(title+": completion modes side by side", g, len(g.Runs) > 1 && points[0].Run >= 0)
}

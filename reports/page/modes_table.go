package page

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/reports/tables"
	"github.com/ibperf/ibperf/result"
)

// A pageColumn is a column of a mode: its head, and the function that makes the cell of a row and
// its base, either of which may be missing.
type pageColumn struct {
	head Head
	cell func(e, base rows.Entry) Cell
}

// mergedTable returns the main table of a group: for each point and mode the value, its ratio, and
// what waiting cost. Warnings of rows are footnotes.
func mergedTable(g *rows.Group) *Table {
	points := g.Points()
	names := rows.Names(points)
	if slices.ContainsFunc(points, func(p *rows.Point) bool { return p.Rows[rows.ControlName].Row != nil }) {
		names = append(names, rows.ControlName)
	}
	t := &Table{Keys: pageKeys(g, points)}
	feet := &footnotes{shared: sharedByRows(g)}
	columns := make([][]pageColumn, len(names))
	for i, name := range names {
		if columns[i] = columnsOf(g, points, name, feet); len(columns[i]) == 0 {
			continue
		}
		mode, _, _ := strings.Cut(strings.Fields(name)[0], "+")
		group := Group{Name: name, Mode: mode}
		for _, c := range columns[i] {
			group.Columns = append(group.Columns, c.head)
		}
		t.Groups = append(t.Groups, group)
	}
	for _, p := range points {
		row := Row{Keys: tables.KeyCells(p.Label(g), p.Size)}
		for i, name := range names {
			for j, c := range columns[i] {
				cell := Cell{Text: result.Unmeasured, Quiet: true}
				if e := p.Rows[name]; e.Row != nil {
					cell = c.cell(e, p.Rows[e.Base()])
				}
				cell.First = j == 0
				row.Cells = append(row.Cells, cell)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = feet.texts
	return t
}

// pageKeys returns the heads of the key columns.
func pageKeys(g *rows.Group, points []*rows.Point) (keys []Head) {
	for _, c := range tables.NewPointsTable(g, points, "").Columns {
		keys = append(keys, Head{Name: c.Name, Unit: c.Unit})
	}
	return keys
}

// columnsOf returns the columns of a mode, without those that are 0 in all its rows. The control has
// only its ratio.
func columnsOf(g *rows.Group, points []*rows.Point, name string, feet *footnotes) (all []pageColumn) {
	if name == rows.ControlName {
		return controlColumns(g, points, feet)
	}
	for i, field := range g.ComparedFields() {
		c := result.ColumnOf(field)
		all = append(all, pageColumn{Head{Name: shortHead(c), Unit: c.Shown()}, func(e, _ rows.Entry) Cell {
			cell := Cell{Text: e.ValueText(c)}
			if i == 0 {
				cell.Text += e.Marks()
				cell.Marks = feet.marks(e)
			}
			cell.Bad = e.Forced || e.Verify != nil && e.Verify.Bad() > 0
			return cell
		}})
		if ratios := ratioColumn(g, c, points, name); ratios != nil {
			all = append(all, *ratios)
		}
	}
	for _, pair := range tables.SidesCompared {
		if some := sidesColumn(pair, points, name); some != nil {
			all = append(all, *some)
		}
	}
	return all
}

// controlColumns returns the column of the control's ratio, or none if it has no ratio.
func controlColumns(g *rows.Group, points []*rows.Point, feet *footnotes) []pageColumn {
	ratio := ratioColumn(g, result.ColumnOf(g.ComparedFields()[0]), points, rows.ControlName)
	if ratio == nil {
		return nil
	}
	return []pageColumn{{ratio.head, func(e, base rows.Entry) Cell {
		cell := ratio.cell(e, base)
		cell.Marks = feet.marks(e)
		return cell
	}}}
}

// shortHead returns the head of a column below the name of its mode.
func shortHead(c *result.Column) string {
	switch {
	case c.Field == "latency.p99_ns":
		return "99 %"
	case c.Field == "latency.p50_ns":
		return "median"
	}
	return c.Head
}

// ratioColumn returns the column of ratios, or nil if no row of a name has one.
func ratioColumn(g *rows.Group, c *result.Column, points []*rows.Point, name string) *pageColumn {
	to := rows.BaseName(points, name)
	all := rows.Ratios{}
	if c.Round != nil {
		all = g.RatiosOf(c)
	}
	cell := func(e, base rows.Entry) Cell {
		if c.Round == nil || name == to || e.Row == nil || base.Row == nil {
			return Cell{Text: result.Unmeasured, Left: true}
		}
		ratio := all.Cell(c, e, base)
		return Cell{Text: ratio.Number, Left: true, Quiet: ratio.Quiet, Small: ratio.Words}
	}
	if !slices.ContainsFunc(points, func(p *rows.Point) bool { return cell(p.Rows[name], p.Rows[to]).Text != result.Unmeasured }) {
		return nil
	}
	return &pageColumn{Head{Name: "ratio", Unit: "to " + to, Left: true}, cell}
}

// sidesColumn returns the column of a number of both sides, or nil if it is 0 in all rows of a name.
func sidesColumn(pair tables.SidePair, points []*rows.Point, name string) *pageColumn {
	here, peer := result.ColumnOf(pair.Here), result.ColumnOf(pair.Peer)
	if !slices.ContainsFunc(points, func(p *rows.Point) bool {
		r := p.Rows[name].Row
		return r != nil && (here.Value(r) != 0 || peer.Value(r) != 0)
	}) {
		return nil
	}
	return &pageColumn{Head{Name: pair.Head, Unit: pair.Unit + ", here / peer"}, func(e, _ rows.Entry) Cell {
		return Cell{Text: here.Text(e.Row) + " / " + peer.Text(e.Row)}
	}}
}

package reports

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/result"
)

// A pageColumn is one of a mode: its head, and its cell of a row and of what the row is
// compared with, either of which may be missing.
type pageColumn struct {
	head page.Head
	cell func(e, base Entry) page.Cell
}

// mergedTable is a line for each size, or place on an axis: of each mode the value, its
// ratio, and what waiting took. Warnings of rows are marks at their values.
func mergedTable(g *Group) *page.Table {
	lineups := lineUp(g)
	names := namesOf(lineups)
	t := &page.Table{Keys: pageKeys(g, lineups)}
	feet := &footnotes{g: g}
	columns := make([][]pageColumn, len(names))
	for i, name := range names {
		columns[i] = columnsOf(g, lineups, name, feet)
		mode, _, _ := strings.Cut(strings.Fields(name)[0], "+")
		group := page.Group{Name: name, Mode: mode}
		for _, c := range columns[i] {
			group.Columns = append(group.Columns, c.head)
		}
		t.Groups = append(t.Groups, group)
	}
	for _, l := range lineups {
		row := page.Row{Keys: place(l.label(g), l.size)}
		for i, name := range names {
			for j, c := range columns[i] {
				cell := page.Cell{Text: result.Unmeasured, Quiet: true}
				if e := l.rows[name]; e.Row != nil {
					cell = c.cell(e, l.rows[e.Base()])
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

// pageKeys are the heads of what says what a line is about.
func pageKeys(g *Group, lineups []*lineup) (keys []page.Head) {
	for _, c := range compareTable(g, lineups, "").Columns {
		keys = append(keys, page.Head{Name: c.Name, Unit: c.Unit})
	}
	return keys
}

// columnsOf are those of a mode; what is 0 in all its rows is left out.
func columnsOf(g *Group, lineups []*lineup, name string, feet *footnotes) (all []pageColumn) {
	for i, field := range compared(g) {
		c := result.ColumnOf(field)
		all = append(all, pageColumn{page.Head{Name: shortHead(g, c), Unit: c.Shown(false)}, func(e, _ Entry) page.Cell {
			cell := page.Cell{Text: e.text(c, false)}
			if i == 0 {
				cell.Text += e.ForcedMark()
				cell.Marks = feet.marks(e)
			}
			cell.Bad = e.Forced || e.Verify != nil && e.Verify.Bad() > 0
			return cell
		}})
		if ratios := ratioColumn(c, lineups, name); ratios != nil {
			all = append(all, *ratios)
		}
	}
	for _, pair := range sidesCompared {
		if some := sidesColumn(pair, lineups, name); some != nil {
			all = append(all, *some)
		}
	}
	return all
}

// shortHead names a column below the name of its mode.
func shortHead(g *Group, c *result.Column) string {
	switch {
	case c.Field == "latency.p99_ns":
		return "99 %"
	case c.Round != nil && g.hasRounds():
		return "median round"
	case c.Field == "latency.p50_ns":
		return "median"
	}
	return c.Head
}

// ratioColumn is nil where no row of a name has a ratio.
func ratioColumn(c *result.Column, lineups []*lineup, name string) *pageColumn {
	to := baseOf(lineups, name)
	cell := func(e, base Entry) page.Cell {
		if c.Round == nil || name == to || e.Row == nil || base.Row == nil {
			return page.Cell{Text: result.Unmeasured, Left: true}
		}
		text, words := cutWords(ratioOf(c, e, base).text)
		return page.Cell{Text: text, Left: true, Quiet: words != "", Small: words}
	}
	if !slices.ContainsFunc(lineups, func(l *lineup) bool { return cell(l.rows[name], l.rows[to]).Text != result.Unmeasured }) {
		return nil
	}
	return &pageColumn{page.Head{Name: "ratio", Unit: "to " + to, Left: true}, cell}
}

// sidesColumn is a number of both sides, nil if it is 0 in all rows of a name.
func sidesColumn(pair sidePair, lineups []*lineup, name string) *pageColumn {
	here, peer := result.ColumnOf(pair.here), result.ColumnOf(pair.peer)
	if !slices.ContainsFunc(lineups, func(l *lineup) bool {
		r := l.rows[name].Row
		return r != nil && (here.Value(r) != 0 || peer.Value(r) != 0)
	}) {
		return nil
	}
	return &pageColumn{page.Head{Name: pair.head, Unit: pair.unit + ", here / peer"}, func(e, _ Entry) page.Cell {
		return page.Cell{Text: here.Text(e.Row, false) + " / " + peer.Text(e.Row, false)}
	}}
}

// Package table lays tables out as text; package page makes HTML of them.
package table

import (
	"strings"
	"unicode/utf8"
)

// A Column is the head of a column: numbers stand at the right, words at the left.
type Column struct {
	Name string
	Unit string
	Left bool
}

// A Table is printed as text and as HTML.
type Table struct {
	Title   string
	Columns []Column
	Rows    [][]string
}

// Add appends a row, with a cell for each column.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Text lays the table out in lines: title, names, units, rows.
func (t *Table) Text() string {
	names := make([]string, len(t.Columns))
	units := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
		if c.Unit != "" {
			units[i] = "[" + c.Unit + "]"
		}
	}
	widths := t.widths(names, units)
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(" " + t.Title + "\n")
	}
	t.line(&b, widths, names)
	t.line(&b, widths, units)
	for _, row := range t.Rows {
		t.line(&b, widths, row)
	}
	return b.String()
}

func (t *Table) widths(names, units []string) []int {
	widths := make([]int, len(t.Columns))
	for i := range t.Columns {
		widths[i] = max(utf8.RuneCountInString(names[i]), utf8.RuneCountInString(units[i]))
		for _, row := range t.Rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	return widths
}

func (t *Table) line(b *strings.Builder, widths []int, cells []string) {
	var line strings.Builder
	for i, cell := range cells {
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i > 0 {
			line.WriteByte(' ')
		}
		line.WriteByte(' ')
		if t.Columns[i].Left {
			line.WriteString(cell + pad)
		} else {
			line.WriteString(pad + cell)
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

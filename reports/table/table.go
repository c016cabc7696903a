// Package table formats tables as text. Package page writes the same tables as HTML.
package table

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A Column is the head of a column: numbers are aligned right, words left.
type Column struct {
	Name string
	Unit string
	Left bool
	With bool // stays next to the column before it, which it is about
}

// A Table has key columns, which are repeated if the table is wrapped, and other columns.
type Table struct {
	Title   string
	Keys    int // number of key columns, the first ones
	Columns []Column
	Rows    [][]string
}

// Add appends a row with a cell for each column.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Text returns the table as lines: title, names, units, rows. Columns beyond width continue below,
// after the key columns again. A width of 0 is unlimited.
func (t *Table) Text(width int) string {
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
	for i, columns := range t.blocks(widths, width) {
		switch {
		case i > 0:
			b.WriteString("\n " + strings.TrimSpace(t.Title+" (continued)") + "\n")
		case t.Title != "":
			b.WriteString(" " + t.Title + "\n")
		}
		for _, row := range slices.Concat([][]string{names, units}, t.Rows) {
			t.line(&b, columns, widths, row)
		}
	}
	return b.String()
}

// blocks divides the columns into lists that are at most width wide, if possible. Each list begins
// with the key columns.
func (t *Table) blocks(widths []int, width int) [][]int {
	keys := make([]int, min(t.Keys, len(t.Columns)))
	for i := range keys {
		keys[i] = i
	}
	blocks := [][]int{slices.Clone(keys)}
	for i := len(keys); i < len(t.Columns); {
		unit := []int{i}
		for i++; i < len(t.Columns) && t.Columns[i].With; i++ {
			unit = append(unit, i)
		}
		last := len(blocks) - 1
		if joined := slices.Concat(blocks[last], unit); width == 0 || lineWidth(joined, widths) <= width || len(blocks[last]) == len(keys) {
			blocks[last] = joined
			continue
		}
		blocks = append(blocks, slices.Concat(keys, unit))
	}
	return blocks
}

// lineWidth returns the width of a line of columns.
func lineWidth(columns, widths []int) int {
	n := -1
	for _, c := range columns {
		n += widths[c] + 2
	}
	return n
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

func (t *Table) line(b *strings.Builder, columns, widths []int, cells []string) {
	var line strings.Builder
	for i, c := range columns {
		pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cells[c]))
		if i > 0 {
			line.WriteByte(' ')
		}
		line.WriteByte(' ')
		if t.Columns[c].Left {
			line.WriteString(cells[c] + pad)
		} else {
			line.WriteString(pad + cells[c])
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

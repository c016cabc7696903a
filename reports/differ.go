package reports

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports/result"
)

// differences says in what the modes differ beside how they detect arrival, empty if in
// nothing: "The modes differ in: opcode (RDMA_WRITE in data, SEND in poll, event)."
func differences(lineups []*lineup, names []string) string {
	var parts []string
	for _, field := range workFields {
		if p := difference(lineups, names, result.ColumnOf(field)); p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "The modes differ in: " + strings.Join(parts, "; ") + "."
}

// difference is what is said of one field, with sizes where it is not the same at all.
func difference(lineups []*lineup, names []string, c *result.Column) string {
	var all []int
	var texts []string
	sizes := map[string][]int{}
	for _, l := range lineups {
		all = addNewSize(all, l.size)
		if text := l.difference(names, c); text != "" {
			texts = addNew(texts, text)
			sizes[text] = addNewSize(sizes[text], l.size)
		}
	}
	for i, text := range texts {
		if len(texts) > 1 || len(sizes[text]) < len(all) {
			texts[i] = "size " + sizeRanges(all, sizes[text]) + ": " + text
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return c.Head + " (" + strings.Join(texts, "; ") + ")"
}

// difference is what is said of a field at one size, empty if all rows have the same.
func (l *lineup) difference(names []string, c *result.Column) string {
	var values []string
	of := map[string][]string{}
	for _, name := range names {
		if e := l.rows[name]; e.Row != nil {
			value := Clean(c.Text(e.Row, false))
			values = addNew(values, value)
			of[value] = append(of[value], name)
		}
	}
	if len(values) < 2 {
		return ""
	}
	for i, value := range values {
		values[i] = value + " in " + strings.Join(of[value], ", ")
	}
	return strings.Join(values, ", ")
}

func addNewSize(sizes []int, size int) []int {
	if slices.Contains(sizes, size) {
		return sizes
	}
	return append(sizes, size)
}

package rows

import (
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/result"
)

// WorkFields lists the attributes of the work that a row did.
var WorkFields = []string{"opcode", "slots", "span", "depth", "touch", "cq_mod", "relaxed_ordering", "out_of_order"}

// Differences returns the attributes of work in which the modes differ, or "" if they differ in
// none: "The modes differ in: opcode (RDMA_WRITE in data, SEND in poll, event)."
func Differences(points []*Point, names []string) string {
	var parts []string
	for _, field := range WorkFields {
		if p := difference(points, names, result.ColumnOf(field)); p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "The modes differ in: " + strings.Join(parts, "; ") + "."
}

// difference returns in what the modes differ in one field, by message size if it is not the same at
// all sizes.
func difference(points []*Point, names []string, c *result.Column) string {
	var all []int
	var texts []string
	sizes := map[string][]int{}
	for _, point := range points {
		all = append(all, point.Size)
		if text := point.difference(names, c); text != "" {
			texts = phrase.AddNew(texts, text)
			sizes[text] = append(sizes[text], point.Size)
		}
	}
	all = phrase.Distinct(all)
	for i, text := range texts {
		if some := phrase.Distinct(sizes[text]); len(texts) > 1 || len(some) < len(all) {
			texts[i] = "size " + phrase.SizeRanges(all, some) + ": " + text
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return c.Head + " (" + strings.Join(texts, "; ") + ")"
}

// difference returns in what the modes differ in one field at one point, or "" if all rows have the
// same value.
func (p *Point) difference(names []string, c *result.Column) string {
	var values []string
	namesOf := map[string][]string{}
	for _, name := range names {
		if e := p.Rows[name]; e.Row != nil {
			value := printable.Clean(c.Text(e.Row))
			values = phrase.AddNew(values, value)
			namesOf[value] = append(namesOf[value], name)
		}
	}
	if len(values) < 2 {
		return ""
	}
	for i, value := range values {
		values[i] = value + " in " + strings.Join(namesOf[value], ", ")
	}
	return strings.Join(values, ", ")
}

// ModeNames returns the names of the modes without variants.
func ModeNames() (all []string) {
	for _, m := range result.ModeOrder {
		all = append(all, string(m))
	}
	return all
}

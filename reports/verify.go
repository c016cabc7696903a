package reports

import (
	"fmt"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/reports/table"
)

// verifyLine sums up what checking every byte found, empty if nothing was
// checked.
func verifyLine(g *Group) string {
	var sum result.Verify
	checked := false
	for _, e := range g.Entries() {
		if v := e.Verify; v != nil {
			checked = true
			sum.Messages += v.Messages
			sum.Torn += v.Torn
			sum.Stale += v.Stale
			sum.Duplicates += v.Duplicates
		}
	}
	switch {
	case !checked:
		return ""
	case sum.Bad() == 0:
		return fmt.Sprintf("Data check: %d messages checked, every byte was as sent (torn 0, stale 0, duplicates 0).", sum.Messages)
	}
	return fmt.Sprintf("Data check FAILED: %d messages checked, torn %d, stale %d, duplicates %d.",
		sum.Messages, sum.Torn, sum.Stale, sum.Duplicates)
}

// verifyTable lists the rows in which checking found something, nil if none.
func verifyTable(g *Group) *table.Table {
	t := &table.Table{Title: "Messages that were not as sent"}
	if len(g.Runs) > 1 {
		t.Columns = append(t.Columns, table.Column{Name: "run", Left: true})
	}
	t.Columns = append(t.Columns, table.Column{Name: "size", Unit: "B"}, table.Column{Name: "mode", Left: true},
		table.Column{Name: "checked", Unit: "messages"}, table.Column{Name: "torn", Unit: "messages"},
		table.Column{Name: "stale", Unit: "messages"}, table.Column{Name: "duplicates", Unit: "messages"},
		table.Column{Name: "first bad message", Left: true})
	for _, e := range g.Entries() {
		v := e.Verify
		if v == nil || v.Bad() == 0 {
			continue
		}
		var cells []string
		if l := g.Label(e.Run); l != "" {
			cells = append(cells, l)
		}
		t.Add(append(cells, units.Size(e.Size), e.Row.ModeMark(), count(v.Messages), count(v.Torn),
			count(v.Stale), count(v.Duplicates), Clean(v.First))...)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

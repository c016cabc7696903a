package reports

import (
	"fmt"

	"github.com/ibperf/ibperf/reports/result"
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
func verifyTable(g *Group) *table {
	t := &table{Title: "Messages that were not as sent"}
	if len(g.Runs) > 1 {
		t.Columns = append(t.Columns, column{Name: "run", Left: true})
	}
	t.Columns = append(t.Columns, column{Name: "size", Unit: "B"}, column{Name: "mode", Left: true},
		column{Name: "checked", Unit: "messages"}, column{Name: "torn", Unit: "messages"},
		column{Name: "stale", Unit: "messages"}, column{Name: "duplicates", Unit: "messages"},
		column{Name: "first bad message", Left: true})
	for _, e := range g.Entries() {
		v := e.Verify
		if v == nil || v.Bad() == 0 {
			continue
		}
		var cells []string
		if l := g.Label(e.Run); l != "" {
			cells = append(cells, l)
		}
		t.add(append(cells, Size(e.Size), e.Row.ModeMark(), count(v.Messages), count(v.Torn),
			count(v.Stale), count(v.Duplicates), clean(v.First))...)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

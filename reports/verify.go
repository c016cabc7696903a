package reports

import (
	"fmt"
	"slices"

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

var verifyFields = []string{"verify.messages", "verify.torn", "verify.stale", "verify.duplicates", "verify.first"}

// verifyTable lists the rows in which checking found something, nil if none.
func verifyTable(g *Group) *table.Table {
	bad := *g
	bad.Runs = nil
	for _, f := range g.Runs {
		some := *f
		some.Rows = slices.DeleteFunc(slices.Clone(f.Rows), func(r result.Row) bool { return r.Verify == nil || r.Verify.Bad() == 0 })
		bad.Runs = append(bad.Runs, &some)
	}
	if len(bad.Entries()) == 0 {
		return nil
	}
	return fieldTable(&bad, "Messages that were not as sent", verifyFields, false)
}

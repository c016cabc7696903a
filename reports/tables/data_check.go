package tables

import (
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/reports/table"
	"github.com/ibperf/ibperf/result"
)

// DataCheck returns the result of checking every byte, or "" if nothing was checked.
func DataCheck(g *rows.Group) string {
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
		return fmt.Sprintf("Data check: %d messages checked, every byte was correct (torn 0, stale 0, duplicates 0).", sum.Messages)
	}
	return fmt.Sprintf("Data check FAILED: %d messages checked, torn %d, stale %d, duplicates %d.",
		sum.Messages, sum.Torn, sum.Stale, sum.Duplicates)
}

var verifyFields = []string{"verify.messages", "verify.torn", "verify.stale", "verify.duplicates", "verify.first"}

// verifyTable returns a table of the rows with corrupted messages, or nil if no message was
// corrupted.
func verifyTable(g *rows.Group) *table.Table {
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
	return fieldTable(&bad, "Corrupted messages", verifyFields)
}

// Corrupted returns the table of rows with corrupted messages, if there are any.
func Corrupted(g *rows.Group) []*table.Table {
	if t := verifyTable(g); t != nil {
		return []*table.Table{t}
	}
	return nil
}

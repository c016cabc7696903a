package verdict

import (
	"slices"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// Excluded returns the rows that the verdict on runs does not consider: mode data without a promise,
// and rows of devices with corrupt data.
func Excluded(runs []*result.File) map[*result.Row]bool {
	f := &findings{checks: checksOf(runs)}
	all := map[*result.Row]bool{}
	for _, run := range runs {
		for i := range run.Rows {
			if f.checks.corruptsIn(run) || f.excluded(rows.Entry{File: run, Row: &run.Rows[i]}) {
				all[&run.Rows[i]] = true
			}
		}
	}
	return all
}

// excluded reports whether a row must not be recommended: mode data without a promise or with
// corrupt data.
func (f *findings) excluded(e rows.Entry) bool {
	return e.Forced || e.Mode == option.ModeData && slices.ContainsFunc(rows.WaitingSides(e.File), func(s *result.Side) bool {
		return f.checks.breaksPromise(s, e.File.Op)
	})
}

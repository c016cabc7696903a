package verdict

import (
	"slices"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// missing names a mode that was not measured in some tests, and the reason.
type missing struct {
	mode   string // empty for a run that ended early
	reason string
	tests  []string // "read latency of 64K, 1M bytes"
	every  bool     // in all tests, at all sizes
}

// missingOf returns what runs that compare modes lack. For runs that repeat a test with every byte
// checked it only returns that they ended early.
func missingOf(groups []*rows.Group, names naming) []missing {
	var all []missing
	add := func(mode, reason, test string) {
		i := slices.IndexFunc(all, func(m missing) bool { return m.mode == mode && m.reason == reason })
		if i < 0 {
			i = len(all)
			all = append(all, missing{mode: mode, reason: reason})
		}
		all[i].tests = phrase.AddNew(all[i].tests, test)
	}
	var compared, withData []string // names of tests, which two sweeps may share; those that can have mode data
	for _, g := range groups {
		for i, f := range g.Runs {
			if !comparesModes(f) {
				continue
			}
			name := names.runName(g, i)
			if !repeated(g, groups) {
				compared = phrase.AddNew(compared, name)
				if f.Parameters.NoData() == "" {
					withData = phrase.AddNew(withData, name)
				}
				notRun(f, name, add)
				notMeasured(f, name, add)
			}
			switch {
			case f.Interrupted:
				add("", "was interrupted"+absentSizes(f), name)
			case f.Error != "":
				add("", "ended early: "+printable.Clean(f.Error)+absentSizes(f), name)
			}
		}
	}
	for i := range all {
		m := &all[i]
		every := compared
		if slices.Contains(withData, m.tests[0]) && m.mode == string(option.ModeData) {
			every = withData
		}
		m.every = len(m.tests) == len(every) && !slices.ContainsFunc(every, func(test string) bool { return !slices.Contains(m.tests, test) })
	}
	return all
}

// repeated reports whether a group with every byte checked has another group of the same test
// without the check.
func repeated(g *rows.Group, groups []*rows.Group) bool {
	return g.Verify && slices.ContainsFunc(groups, func(o *rows.Group) bool { return !o.Verify && o.Op == g.Op && o.Kind == g.Kind })
}

// notRun adds mode data if it was left out for lack of a promise.
func notRun(f *result.File, name string, add func(mode, reason, test string)) {
	if !slices.ContainsFunc(f.Warnings, func(w result.Warning) bool { return w.ID == result.WarnDataNotRun }) {
		return
	}
	why := "it is not known whether the device promises an order"
	if slices.ContainsFunc(rows.WaitingSides(f), func(s *result.Side) bool { return orderOf(s) == result.OrderNone }) {
		why = "the device promises no order"
	}
	if impossible := f.Parameters.NoData(); impossible != "" {
		why = impossible
	}
	add(string(option.ModeData), why, name)
}

// notMeasured adds the rows that are missing, grouped by mode and reason.
func notMeasured(f *result.File, name string, add func(mode, reason, test string)) {
	type key struct{ mode, why string }
	var order []key
	sizes := map[key][]int{}
	for _, m := range f.NotMeasured {
		k := key{m.Mode, printable.Clean(m.Why)}
		if sizes[k] == nil {
			order = append(order, k)
		}
		sizes[k] = append(sizes[k], m.Size)
	}
	for _, k := range order {
		add(k.mode, k.why, name+ofSizes(f, phrase.Distinct(sizes[k])))
	}
}

// absentSizes names the sizes of a run that have no row, if other sizes have one.
func absentSizes(f *result.File) string {
	if len(f.Rows) == 0 {
		return "; nothing was measured"
	}
	measured := map[int]bool{}
	for i := range f.Rows {
		measured[f.Rows[i].Size] = true
	}
	absent := slices.DeleteFunc(slices.Clone(f.Parameters.Sizes), func(size int) bool { return measured[size] })
	if some := ofSizes(f, phrase.Distinct(absent)); some != "" {
		return "; nothing was measured" + some
	}
	return ""
}

// ofSizes names sizes if they are not all of the run's: " of 64K, 1M bytes".
func ofSizes(f *result.File, some []int) string {
	all := phrase.Distinct(f.Parameters.Sizes)
	slices.Sort(all)
	slices.Sort(some)
	if len(some) == 0 || slices.Equal(all, some) {
		return ""
	}
	return " of " + phrase.SizeRanges(all, some) + " bytes"
}

// missingLines answers what was not measured.
func (f *findings) missingLines() []string {
	var lines []string
	for _, m := range f.missing {
		switch {
		case m.mode == "":
			lines = append(lines, joinTestNames(m.tests)+" "+m.reason)
		case m.every:
			lines = append(lines, m.mode+": "+m.reason)
		default:
			lines = append(lines, m.mode+" in "+joinTestNames(m.tests)+": "+m.reason)
		}
	}
	return lines
}

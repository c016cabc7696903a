package reports

import (
	"slices"

	"github.com/ibperf/ibperf/reports/result"
)

// missing is what was not measured, in some tests for one reason.
type missing struct {
	mode   string // empty: of a run that ended early
	reason string
	tests  []string // "read latency of 64K, 1M bytes"
	every  bool     // in all there are, at all sizes
}

// missingOf lists what runs that compare modes lack. Of those in which every byte was
// checked as well it tells only that they ended early: what they lack, the others lack too.
func missingOf(groups []*Group, names naming) []missing {
	var all []missing
	add := func(mode, reason, test string) {
		i := slices.IndexFunc(all, func(m missing) bool { return m.mode == mode && m.reason == reason })
		if i < 0 {
			i = len(all)
			all = append(all, missing{mode: mode, reason: reason})
		}
		all[i].tests = addNew(all[i].tests, test)
	}
	var compared, withData []string // by their names, which two sweeps may share; and those that can have mode data
	for _, g := range groups {
		for i, f := range g.Runs {
			if !comparesModes(f) {
				continue
			}
			name := names.runName(g, i)
			if !again(g, groups) {
				compared = addNew(compared, name)
				if f.Parameters.NoData() == "" {
					withData = addNew(withData, name)
				}
				notRun(f, name, add)
				notMeasured(f, name, add)
			}
			switch {
			case f.Interrupted:
				add("", "was interrupted"+absentSizes(f), name)
			case f.Error != "":
				add("", "ended early: "+Clean(f.Error)+absentSizes(f), name)
			}
		}
	}
	for i := range all {
		m := &all[i]
		every := compared
		if slices.Contains(withData, m.tests[0]) && m.mode == "data" {
			every = withData
		}
		m.every = len(m.tests) == len(every) && !slices.ContainsFunc(every, func(test string) bool { return !slices.Contains(m.tests, test) })
	}
	return all
}

// again tells whether every byte was checked in a test that was run without that, too.
func again(g *Group, groups []*Group) bool {
	return g.Verify && slices.ContainsFunc(groups, func(o *Group) bool { return !o.Verify && o.Op == g.Op && o.Kind == g.Kind })
}

// notRun adds mode data where it was left out for want of a promise.
func notRun(f *result.File, name string, add func(mode, reason, test string)) {
	if !slices.ContainsFunc(f.Warnings, func(w result.Warning) bool { return w.ID == "data-not-run" }) {
		return
	}
	why := "it is not known whether the device promises an order"
	if slices.ContainsFunc(waitingSides(f), func(s *result.Side) bool { return orderOf(s) == result.OrderNone }) {
		why = "the device promises no order"
	}
	if impossible := f.Parameters.NoData(); impossible != "" {
		why = impossible
	}
	add("data", why, name)
}

// notMeasured adds rows that there are not, those of one mode and reason together.
func notMeasured(f *result.File, name string, add func(mode, reason, test string)) {
	type key struct{ mode, why string }
	var order []key
	sizes := map[key][]int{}
	for _, m := range f.NotMeasured {
		k := key{m.Mode, Clean(m.Why)}
		if sizes[k] == nil {
			order = append(order, k)
		}
		sizes[k] = addNewSize(sizes[k], m.Size)
	}
	for _, k := range order {
		add(k.mode, k.why, name+ofSizes(f, sizes[k]))
	}
}

// absentSizes names the sizes of a run that have no row, if others have.
func absentSizes(f *result.File) string {
	if len(f.Rows) == 0 {
		return "; nothing was measured"
	}
	var absent []int
	for _, size := range f.Parameters.Sizes {
		if !slices.ContainsFunc(f.Rows, func(r result.Row) bool { return r.Size == size }) {
			absent = addNewSize(absent, size)
		}
	}
	if some := ofSizes(f, absent); some != "" {
		return "; nothing was measured" + some
	}
	return ""
}

// ofSizes names sizes if they are not all of the run's: " of 64K, 1M bytes".
func ofSizes(f *result.File, some []int) string {
	var all []int
	for _, size := range f.Parameters.Sizes {
		all = addNewSize(all, size)
	}
	slices.Sort(all)
	slices.Sort(some)
	if len(some) == 0 || slices.Equal(all, some) {
		return ""
	}
	return " of " + sizeRanges(all, some) + " bytes"
}

// missingLines answer what was not measured.
func (f *findings) missingLines() []string {
	var lines []string
	for _, m := range f.missing {
		switch {
		case m.mode == "":
			lines = append(lines, together(m.tests)+" "+m.reason)
		case m.every:
			lines = append(lines, m.mode+": "+m.reason)
		default:
			lines = append(lines, m.mode+" in "+together(m.tests)+": "+m.reason)
		}
	}
	return lines
}

package reports

import (
	"slices"
	"strconv"

	"github.com/ibperf/ibperf/reports/result"
)

// notes tells what a group lacks: rows that were not measured, and intervals that are
// wider than was asked for.
func notes(g *Group) []string {
	var all []string
	if slices.ContainsFunc(g.Entries(), func(e Entry) bool { return e.Row.Bandwidth != nil && e.Row.Bandwidth.Peak == 0 }) {
		all = append(all, "A peak of 0.00 was not measured: it takes a round with a whole window of 1 ms, and a clock that is read in the loop.")
	}
	if slices.ContainsFunc(g.Entries(), func(e Entry) bool { return e.Row.FromClient != nil && e.Row.Bandwidth.Peak > 0 }) {
		all = append(all, "The peak of both directions is the sum of theirs, which need not be of the same moment: no window was above it.")
	}
	for i, f := range g.Runs {
		prefix := ""
		if l := g.Label(i); l != "" {
			prefix = l + " "
		}
		for _, line := range missingLines(f) {
			all = append(all, prefix+line)
		}
		if f.Limits != "" {
			all = append(all, prefix+"Intervals of "+percent(f.Parameters.Precision)+" were asked for: "+Clean(f.Limits))
		}
	}
	return all
}

func percent(part float64) string { return strconv.FormatFloat(100*part, 'g', 3, 64) + " %" }

// missingLines says which rows were not measured and why, those of one mode and reason
// in a line: "size 8-64K event: not measured: it never slept".
func missingLines(f *result.File) []string {
	type key struct{ mode, why string }
	var order []key
	sizes := map[key][]int{}
	for _, m := range f.NotMeasured {
		k := key{m.Mode, m.Why}
		if sizes[k] == nil {
			order = append(order, k)
		}
		sizes[k] = addNewSize(sizes[k], m.Size)
	}
	all := slices.Sorted(slices.Values(f.Parameters.Sizes))
	var lines []string
	for _, k := range order {
		slices.Sort(sizes[k])
		lines = append(lines, "size "+sizeRanges(all, sizes[k])+" "+k.mode+": not measured: "+Clean(k.why))
	}
	return lines
}

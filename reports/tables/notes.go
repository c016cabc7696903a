package tables

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// Notes returns what limits the numbers of a group: rows that were not measured, missing peaks, calls
// through cgo, where threads slept, and intervals that are wider than --precision.
func Notes(g *rows.Group) []string {
	var all []string
	if slices.ContainsFunc(g.Entries(), func(e rows.Entry) bool { return e.Row.Bandwidth != nil && e.Row.Bandwidth.Peak == 0 }) {
		all = append(all, "A peak of 0.00, or one that is the average, was not measured: a peak needs a round with a complete window of 1 ms, and a clock that is read in the loop.")
	}
	if slices.ContainsFunc(g.Entries(), func(e rows.Entry) bool { return e.Row.FromClient != nil && e.Row.Bandwidth.Peak > 0 }) {
		all = append(all, "The peak of both directions is the sum of the two peaks, which need not be from the same moment; no window was faster.")
	}
	all = append(all, Missing(g)...)
	for i, f := range g.Runs {
		if f.Limits != "" {
			all = append(all, prefixOf(g, i)+"Intervals of "+percent(f.Parameters.Precision)+" were asked for: "+printable.Clean(f.Limits))
		}
	}
	return slices.Concat(all, g.CallPaths(), g.Placements())
}

// Missing returns the rows of a group that were not measured, and why.
func Missing(g *rows.Group) (all []string) {
	for i, f := range g.Runs {
		for _, line := range missingLines(f) {
			all = append(all, prefixOf(g, i)+line)
		}
	}
	return all
}

// prefixOf returns the label of a run in front of a line; empty if the group has one run.
func prefixOf(g *rows.Group, run int) string {
	if l := g.Label(run); l != "" {
		return l + " "
	}
	return ""
}

func percent(part float64) string { return strconv.FormatFloat(100*part, 'g', 3, 64) + " %" }

// missingLines lists the rows that were not measured, one line for each mode and reason: "size 8-64K
// event: not measured: it never slept".
func missingLines(f *result.File) []string {
	type key struct{ mode, why string }
	var order []key
	sizes := map[key][]int{}
	for _, m := range f.NotMeasured {
		k := key{m.Mode, m.Why}
		if sizes[k] == nil {
			order = append(order, k)
		}
		sizes[k] = append(sizes[k], m.Size)
	}
	all := slices.Sorted(slices.Values(f.Parameters.Sizes))
	var lines []string
	for _, k := range order {
		some := phrase.Distinct(sizes[k])
		slices.Sort(some)
		lines = append(lines, "size "+phrase.SizeRanges(all, some)+" "+k.mode+": not measured: "+printable.Clean(k.why))
	}
	return lines
}

// ValueNotes explains the values of modes side by side, if they are computed from rounds.
func ValueNotes(g *rows.Group) []string {
	c := result.ColumnOf(g.ComparedFields()[0])
	if c.Round == nil || !g.HasRounds() {
		return nil
	}
	figures := map[string]string{"latency.p50_ns": "medians", "latency.mean_ns": "means", "bandwidth.average_bytes_per_s": "averages"}[c.Field]
	return []string{c.Title + " is the geometric mean over the runs, or over five parts of a single run, of the median of the rounds' " + figures +
		"; rows and details are from all rounds together."}
}

// noRatioLines lists the rows that are not compared, and why.
func noRatioLines(points []*rows.Point, names []string) []string {
	var reasons []string
	var entries []rows.Entry
	namesOf := map[string][]string{}
	for _, name := range names {
		for _, p := range points {
			e := p.Rows[name]
			entries = append(entries, e)
			if e.Row != nil && e.NoRatio != "" {
				reasons = phrase.AddNew(reasons, e.NoRatio)
				namesOf[e.NoRatio] = phrase.AddNew(namesOf[e.NoRatio], name)
			}
		}
	}
	for i, why := range reasons {
		reasons[i] = "No ratio of " + strings.Join(namesOf[why], ", ") + ": " + printable.Clean(why) + "."
	}
	if slept := rows.HardlySleptText(entries); slept != "" {
		reasons = append(reasons, "No ratio of event in rows in which it hardly slept: "+slept+".")
	}
	return reasons
}

// MainDefinition returns the definition of the main number of a group.
func MainDefinition(g *rows.Group) string {
	text := g.Runs[0].Definition(result.MainField(g.Kind))
	if g.Kind == option.KindLatency {
		return "Latency: " + printable.Clean(text) + "."
	}
	if g.Runs[0].Parameters.Both {
		text += "; of both directions together: bytes of both / (last end - first start)"
	}
	return "Average bandwidth: " + printable.Clean(text) + "."
}

package plots

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// label returns the name of a run, or "" if the group has only one and it was not named.
func (g *group) label(run int) string { return g.labels[g.Runs[run]] }

// traits lists attributes in which runs of different hosts, devices or days differ.
var traits = []func(g *group, f *result.File) string{
	func(_ *group, f *result.File) string { return pair(f.Local.Host, f.Peer.Host) },
	func(_ *group, f *result.File) string { return pair(f.Local.DeviceNames(), f.Peer.DeviceNames()) },
	func(_ *group, f *result.File) string { return f.Release },
	(*group).ownOptions,
	func(_ *group, f *result.File) string { return f.Started.Format("Jan 2 15:04") },
}

// ownOptions returns the options of a run in which runs differ.
func (g *group) ownOptions(f *result.File) string {
	var own []string
	for _, o := range option.AgreedOptions() {
		written := func(f *result.File) string { return o.Written(&option.Settings{Plan: f.Parameters.Plan}) }
		if !o.Free && slices.ContainsFunc(g.Runs, func(other *result.File) bool { return written(other) != written(f) }) {
			own = append(own, written(f))
		}
	}
	return strings.Join(own, " ")
}

func pair(here, there string) string {
	if there == "" || there == here {
		return here
	}
	return here + " to " + there
}

// runLabels names the runs of the group: as given, along the axis of a sweep, or by number and what
// they differ in.
func (g *group) runLabels(given map[*result.File]string) map[*result.File]string {
	all := map[*result.File]string{}
	for i, f := range g.Runs {
		switch {
		case given[f] != "":
			all[f] = given[f]
		case g.Along != rows.NoAxis || len(g.Runs) == 1:
			all[f] = g.Label(i)
		default:
			all[f] = strings.TrimSpace(g.Label(i) + " " + phrase.Shorten(printable.Clean(g.differenceOf(f)), 48))
		}
	}
	return all
}

// always is the number of traits that labels have even if fewer distinguish the runs: hosts and devices, which
// titles of several runs do not name.
const always = 2

// differenceOf returns the first traits of a run that distinguish it from all others.
func (g *group) differenceOf(f *result.File) string {
	var parts []string
	others := slices.DeleteFunc(slices.Clone(g.Runs), func(o *result.File) bool { return o == f })
	for i, trait := range traits {
		own := trait(g, f)
		differs := func(o *result.File) bool { return trait(g, o) != own }
		if (len(others) > 0 || i < always) && slices.ContainsFunc(g.Runs, differs) {
			parts = append(parts, own)
		}
		others = slices.DeleteFunc(others, differs)
	}
	return strings.Join(parts, ", ")
}

// repeatsMode reports whether a mode was measured in several runs.
func (g *group) repeatsMode() bool {
	runOf := map[string]int{}
	for _, e := range g.Entries() {
		if run, known := runOf[e.Name()]; known && run != e.Run {
			return true
		}
		runOf[e.Name()] = e.Run
	}
	return false
}

// panels divides series into those of a panel each: all together, or those of a mode.
func (g *group) panels(lines []*series) [][]*series {
	if !g.byMode {
		return [][]*series{lines}
	}
	var all [][]*series
	for _, s := range lines {
		name := s.entries[0].Name()
		i := slices.IndexFunc(all, func(p []*series) bool { return p[0].entries[0].Name() == name })
		if i < 0 {
			i = len(all)
			all = append(all, nil)
		}
		all[i] = append(all[i], s)
	}
	return all
}

package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
)

// Axis is a parameter in which the runs of a group differ, and along which they are laid.
type Axis int

// The axes. Runs without one are numbered.
const (
	NoAxis Axis = iota
	AlongQPs
	AlongGap
)

// String names the parameter.
func (a Axis) String() string {
	return map[Axis]string{AlongQPs: "number of QPs", AlongGap: "pause between messages"}[a]
}

// Of is where a run stands on the axis: its number of QPs, or its pause in nanoseconds.
func (a Axis) Of(f *result.File) float64 {
	switch a {
	case AlongQPs:
		return float64(f.Parameters.QPs)
	case AlongGap:
		return float64(f.Parameters.Gap)
	}
	return 0
}

// label names a run by its place on the axis.
func (a Axis) label(f *result.File) string {
	if a == AlongQPs {
		return strconv.Itoa(f.Parameters.QPs)
	}
	return strconv.FormatFloat(units.Usec(float64(f.Parameters.Gap)), 'f', -1, 64)
}

// parameter is its name in result files.
func (a Axis) parameter() string {
	return map[Axis]string{AlongQPs: result.SweepQPs, AlongGap: result.SweepGap}[a]
}

// heading is what stands over labels.
func (a Axis) heading() (name, unit string) {
	switch a {
	case AlongQPs:
		return "QPs", ""
	case AlongGap:
		return "pause", "usec"
	}
	return "run", ""
}

// Places names runs of a sweep by where they are on its axis: "1-16, 256".
func (g *Group) Places(runs []int) string {
	all := make([]int, len(g.Runs))
	for i := range all {
		all[i] = i
	}
	return ranges(all, runs, g.Label)
}

// A sweep is the runs of a group-to-be.
type sweep struct {
	along Axis
	runs  []*result.File
}

// fewestStops is how many values of a parameter make an axis.
const fewestStops = 3

// findSweeps takes the runs out of files, all of one test, that differ in the value on an
// axis and in nothing else, and sorts them by it. The rest keeps its order. Runs of a
// comparison are of the sweep that they were made for, and of no other.
func findSweeps(files []*result.File) (sweeps []sweep, rest []*result.File) {
	taken := map[*result.File]bool{}
	for _, along := range []Axis{AlongQPs, AlongGap} {
		var order []string
		alike := map[string][]*result.File{}
		for _, f := range files {
			if k := along.others(f); !taken[f] && along.mayHave(f) {
				if alike[k] == nil {
					order = append(order, k)
				}
				alike[k] = append(alike[k], f)
			}
		}
		for _, k := range order {
			runs := slices.Clone(alike[k])
			slices.SortStableFunc(runs, func(a, b *result.File) int { return cmp.Compare(along.Of(a), along.Of(b)) })
			runs = along.lastOfEach(runs)
			if len(runs) < fewestStops {
				continue
			}
			sweeps = append(sweeps, sweep{along, runs})
			for _, f := range runs {
				taken[f] = true
			}
		}
	}
	for _, f := range files {
		if !taken[f] {
			rest = append(rest, f)
		}
	}
	return sweeps, rest
}

// mayHave reports whether a run may be of a sweep along the axis.
func (a Axis) mayHave(f *result.File) bool {
	return f.Comparison == nil || f.Comparison.Sweep == a.parameter()
}

// lastOfEach leaves one of those sorted runs that are at one place, the one that came last.
// The others are no part of the sweep: one where both axes begin, at one QP and no pause,
// may begin another sweep.
func (a Axis) lastOfEach(runs []*result.File) []*result.File {
	var last []*result.File
	for i, f := range runs {
		if i+1 == len(runs) || a.Of(runs[i+1]) != a.Of(f) {
			last = append(last, f)
		}
	}
	return last
}

// others is the same for runs of one comparison, or of none, that differ on the axis only.
func (a Axis) others(f *result.File) string {
	alike, comparison := *f, ""
	if f.Comparison != nil {
		comparison = f.Comparison.ID
	}
	if a == AlongQPs {
		alike.Parameters.QPs, alike.Parameters.CQMod = 1, 0 // the moderation follows from the ring
	} else {
		alike.Parameters.Gap = time.Nanosecond // of a run with a pause, however long
	}
	return fmt.Sprint(setting(&alike), f.Parameters.Sizes, comparison)
}

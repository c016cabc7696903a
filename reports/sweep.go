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

// A sweep is the runs of a group-to-be.
type sweep struct {
	along Axis
	runs  []*result.File
}

// fewestStops is how many values of a parameter make an axis.
const fewestStops = 3

// findSweeps takes the runs out of files, all of one test, that differ in the value on an
// axis and in nothing else, and sorts them by it. The rest keeps its order.
func findSweeps(files []*result.File) (sweeps []sweep, rest []*result.File) {
	taken := map[*result.File]bool{}
	for _, along := range []Axis{AlongQPs, AlongGap} {
		var order []string
		alike := map[string][]*result.File{}
		for _, f := range files {
			if k := along.others(f); !taken[f] {
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

// others is the same for runs that differ on the axis only.
func (a Axis) others(f *result.File) string {
	alike := *f
	if a == AlongQPs {
		alike.Parameters.QPs, alike.Parameters.CQMod = 1, 0 // the moderation follows from the ring
	} else {
		alike.Parameters.Gap = time.Nanosecond // of a run with a pause, however long
	}
	return fmt.Sprint(setting(&alike), f.Parameters.Sizes)
}

package rows

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/result"
)

// An Axis is a parameter in which the runs of a group differ.
type Axis int

// The axes. The runs of a group without an axis are numbered.
const (
	NoAxis Axis = iota
	AlongQPs
	AlongGap
	AlongRate
)

// String returns the name of the parameter.
func (a Axis) String() string {
	return map[Axis]string{AlongQPs: "number of QPs", AlongGap: "pause between messages", AlongRate: "rate"}[a]
}

// Value returns the value of a run on the axis: its number of QPs, its pause in nanoseconds, or the messages that were due
// per second.
func (a Axis) Value(f *result.File) float64 {
	switch a {
	case AlongQPs:
		return float64(f.Parameters.QPs)
	case AlongGap:
		return float64(f.Parameters.Gap)
	case AlongRate:
		return offered(f)
	}
	return 0
}

// offered returns the number of messages of a latency test that were due per second, 0 without a rate.
func offered(f *result.File) float64 {
	for i := range f.Rows {
		if load := f.Rows[i].Load; load != nil {
			return load.Offered
		}
	}
	if f.Parameters.OpenLoop() && f.Parameters.RateUnits == option.RateMessages {
		return f.Parameters.RateLimit
	}
	return 0
}

// label formats the value of a run on the axis.
func (a Axis) label(f *result.File) string {
	switch a {
	case AlongQPs:
		return strconv.Itoa(f.Parameters.QPs)
	case AlongRate:
		return phrase.PerSecond(a.Value(f))
	}
	return strconv.FormatFloat(units.Usec(float64(f.Parameters.Gap)), 'f', -1, 64)
}

// parameter returns the member of the parameters in result files.
func (a Axis) parameter() string {
	return map[Axis]string{AlongQPs: result.SweepQPs, AlongGap: result.SweepGap, AlongRate: result.SweepRate}[a]
}

// Heading returns the head of the column of labels.
func (a Axis) Heading() (name, unit string) {
	switch a {
	case AlongQPs:
		return "QPs", ""
	case AlongGap:
		return "pause", "usec"
	case AlongRate:
		return "rate", "1/s"
	}
	return "run", ""
}

// RunRanges lists runs of a sweep by their values on the axis: "1-16, 256".
func (g *Group) RunRanges(runs []int) string {
	all := make([]int, len(g.Runs))
	for i := range all {
		all[i] = i
	}
	return phrase.Ranges(all, runs, g.Label)
}

// A sweep is the runs of a group along an axis.
type sweep struct {
	along Axis
	runs  []*result.File
}

// minStops is the minimum number of values of a parameter that make an axis.
const minStops = 3

// findSweeps returns the sweeps among files of one test, each sorted by its axis, and the other
// files in their order. The runs of a sweep differ in the value on the axis and in nothing else. A
// run that ib_compare made for a sweep can only be in that sweep.
func findSweeps(files []*result.File) (sweeps []sweep, rest []*result.File) {
	taken := map[*result.File]bool{}
	for _, along := range []Axis{AlongQPs, AlongGap, AlongRate} {
		var order []string
		alike := map[string][]*result.File{}
		for _, f := range files {
			if k := along.otherParameters(f); !taken[f] && along.mayContain(f) {
				if alike[k] == nil {
					order = append(order, k)
				}
				alike[k] = append(alike[k], f)
			}
		}
		for _, k := range order {
			runs := slices.Clone(alike[k])
			slices.SortStableFunc(runs, func(a, b *result.File) int { return cmp.Compare(along.Value(a), along.Value(b)) })
			runs = along.lastOfEachValue(runs)
			if len(runs) < minStops {
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

// mayContain reports whether a run can be in a sweep along the axis.
func (a Axis) mayContain(f *result.File) bool {
	if a == AlongRate && a.Value(f) == 0 {
		return false
	}
	return f.Comparison == nil || f.Comparison.Sweep == a.parameter()
}

// lastOfEachValue returns the last run of each value among sorted runs. The others are not in the sweep:
// a run of one QP without pauses, at which both axes begin, may be in another sweep.
func (a Axis) lastOfEachValue(runs []*result.File) []*result.File {
	var last []*result.File
	for i, f := range runs {
		if i+1 == len(runs) || a.Value(runs[i+1]) != a.Value(f) {
			last = append(last, f)
		}
	}
	return last
}

// otherParameters returns a key that is equal for runs of one comparison, or of none, that differ only in the
// value on the axis.
func (a Axis) otherParameters(f *result.File) string {
	alike, comparison := *f, ""
	if f.Comparison != nil {
		comparison = f.Comparison.ID
	}
	switch a {
	case AlongQPs:
		alike.Parameters.QPs, alike.Parameters.CQMod = 1, 0 // the moderation depends on the ring
	case AlongGap:
		alike.Parameters.Gap = time.Nanosecond // the same for all pauses
	case AlongRate:
		alike.Parameters.RateLimit, alike.Parameters.RateUnits = 1, option.RateMessages
	}
	return fmt.Sprint(setting(&alike), f.Parameters.Sizes, comparison)
}

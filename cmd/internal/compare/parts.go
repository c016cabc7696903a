// Package compare has the parts of a comparison of ib_compare (parts.go) and the folder with its results,
// plots and page (folder.go, results.go, replace.go, bundle.go).
package compare

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// A Part of a comparison is a plan that it measures, with a result file of its own.
type Part struct {
	Name string // of its files
	What string // in words
	Plan option.Plan

	Sweep string // that the part is a point of, as in result files; empty: none

	Rate Rate // of a latency test; zero: none
}

// In reports whether the part is measured in a run of a comparison. A part with fewer runs than the
// comparison is measured in the first run, and then in runs at equal distances.
func (p *Part) In(run, of int) bool { return p.before(run+1, of) > p.before(run, of) }

// before returns the number of the part's runs before a run of the comparison.
func (p *Part) before(run, of int) int { return ((run-1)*p.Plan.Runs + of - 1) / of }

// Once returns the plan of the part in one run.
func (p *Part) Once() option.Plan {
	plan := p.Plan
	plan.Runs, plan.Duration = 1, plan.Duration/time.Duration(p.Plan.Runs)
	return plan
}

// The points of the sweeps.
var (
	qps = []int{1, 4, 16, 64, 256, 1024}
)

// Sizes of sweeps and checks. A part uses the nearest of the measured sizes.
const (
	sweepSize      = 64
	maxCheckedSize = 1 << 20 // the largest message that is checked, in bytes
	checkSizes     = 4
)

// Parts that take long to set up, or that look for rare errors rather than measure, have only as many runs
// as an interval needs.
const (
	fewRuns = 3
	manyQPs = 256 // number of QPs from which a part has few runs
)

// Parts returns all parts with the options of a base plan: every test by message size, latency and
// bandwidth by the number of QPs, latency by the rate at which messages are due, or by the pause between messages over
// transports that may lose or reorder them, and at the end checks of
// every byte. It leaves out operations that the transport does not have, and with a shared receive
// queue all but SEND.
func Parts(base *option.Plan) []Part {
	return slices.DeleteFunc(parts(base), func(p Part) bool {
		return !carries(base, p.Plan.Op) || p.Plan.Verify && p.Plan.NoData() != ""
	})
}

// RunsOf returns the number of runs in which the parts of a comparison are measured.
func RunsOf(all []Part) (runs int) {
	for _, p := range all {
		runs = max(runs, p.Plan.Runs)
	}
	return runs
}

func carries(base *option.Plan, op option.Op) bool {
	return base.Transport.Carries(op) && (op == option.OpSend || !base.UseSRQ)
}

// swept returns the operation of sweeps.
func swept(base *option.Plan) option.Op {
	if carries(base, option.OpWrite) {
		return option.OpWrite
	}
	return option.OpSend
}

func parts(base *option.Plan) []Part {
	var all []Part
	for _, op := range option.Ops() {
		for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
			p := planOf(base, op, kind)
			what := p.Program() + ", every size"
			if p.Atomic() {
				what = p.Program()
			}
			all = append(all, Part{Name: name(&p), What: what, Plan: p})
		}
	}
	size := []int{nearest(base.Sizes, sweepSize)}
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
		for _, n := range qps {
			p := planOf(base, swept(base), kind)
			p.Sizes, p.QPs = size, n
			if n >= manyQPs {
				p.Runs = min(p.Runs, fewRuns)
			}
			all = append(all, Part{name(&p) + "-qps-" + strconv.Itoa(n), p.Program() + " with " + counted(n, "QP"), p, result.SweepQPs, Rate{}})
		}
	}
	if base.Transport.Lossy() || base.Transport.Unordered() {
		all = append(all, withPauses(base, size)...)
	} else {
		all = append(all, atRates(base, swept(base), size)...)
	}
	for _, op := range option.Ops() {
		p := planOf(base, op, option.KindBandwidth)
		p.Sizes, p.Verify, p.Runs = checked(base.Sizes), true, min(p.Runs, fewRuns)
		all = append(all, Part{name(&p) + "-verify", p.Program() + ", every byte checked", p, "", Rate{}})
	}
	return all
}

// planOf returns the plan of a test that compares all modes.
func planOf(base *option.Plan, op option.Op, kind option.Kind) option.Plan {
	p := *base
	d := option.Defaults(option.Test{Op: op, Kind: kind})
	p.Test, p.TxDepth, p.RxDepth, p.Inline = d.Test, d.TxDepth, d.RxDepth, d.Inline
	p.Compare, p.Runs, p.Rounds = true, cmp.Or(base.Runs, option.CompareRuns), cmp.Or(base.Rounds, option.CompareRounds)
	if p.Atomic() {
		p.Sizes, p.Offset = d.Sizes, base.Offset/option.AtomicBytes*option.AtomicBytes
	}
	if p.Duration == 0 {
		p.Duration = option.CompareDuration
	}
	return p
}

func counted(n int, what string) string {
	if n > 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

func name(p *option.Plan) string { return string(p.Op) + "-" + string(p.Kind) }

// nearest returns the size that is nearest to another.
func nearest(sizes []int, want int) int {
	return slices.MinFunc(sizes, func(a, b int) int { return max(a-want, want-a) - max(b-want, want-b) })
}

// checked returns the least and the greatest size to check, and some between.
func checked(sizes []int) (some []int) {
	all := slices.Sorted(slices.Values(sizes))
	all = slices.DeleteFunc(all, func(size int) bool { return size > maxCheckedSize && size != all[0] })
	for i := range checkSizes {
		some = append(some, all[i*(len(all)-1)/(checkSizes-1)])
	}
	return slices.Compact(some)
}

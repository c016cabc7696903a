// Package compare is what ib_compare measures and what it leaves: the runs between two
// hosts that a verdict takes, and the folder with results, plots and page.
package compare

import (
	"slices"
	"strconv"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// A Run is one of the runs.
type Run struct {
	Name string // of its files
	What string // for people
	Plan option.Plan

	Sweep string // that it is a point of, as result files have it; empty: of none
}

// Where the sweeps stop.
var (
	qps  = []int{1, 4, 16, 64, 256, 1024}
	gaps = []time.Duration{0, time.Microsecond, 10 * time.Microsecond, 100 * time.Microsecond, time.Millisecond}
)

// Sizes that further runs have, or the next to them that are measured.
const (
	sweepSize  = 64
	mostToSee  = 1 << 20 // bytes of a message that is checked
	checkSizes = 4
)

// Runs returns all runs, made of a plan that says what they have in common: every test by
// message size, two of them by the number of QPs and one by the pause between messages, and
// at the end a check of what mode data sees; of them those that the transport has, and of a
// shared receive queue those of SEND.
func Runs(base *option.Plan) []Run {
	return slices.DeleteFunc(runs(base), func(r Run) bool {
		return !carries(base, r.Plan.Op) || r.Plan.Verify && r.Plan.NoData() != ""
	})
}

func carries(base *option.Plan, op option.Op) bool {
	return base.Transport.Carries(op) && (op == option.OpSend || !base.UseSRQ)
}

// swept is the operation of sweeps.
func swept(base *option.Plan) option.Op {
	if carries(base, option.OpWrite) {
		return option.OpWrite
	}
	return option.OpSend
}

func runs(base *option.Plan) []Run {
	var all []Run
	for _, op := range []option.Op{option.OpWrite, option.OpSend, option.OpRead, option.OpAtomic} {
		for _, kind := range []string{option.KindLatency, option.KindBandwidth} {
			p := planOf(base, op, kind)
			what := p.Program() + ", every size"
			if p.Atomic() {
				what = p.Program()
			}
			all = append(all, Run{Name: name(&p), What: what, Plan: p})
		}
	}
	size := []int{nearest(base.Sizes, sweepSize)}
	for _, kind := range []string{option.KindLatency, option.KindBandwidth} {
		for _, n := range qps {
			p := planOf(base, swept(base), kind)
			p.Sizes, p.QPs = size, n
			all = append(all, Run{name(&p) + "-qps-" + strconv.Itoa(n), p.Program() + " with " + counted(n, "QP"), p, result.SweepQPs})
		}
	}
	for _, gap := range gaps {
		p := planOf(base, swept(base), option.KindLatency)
		p.Sizes, p.Gap = size, gap
		usec := strconv.FormatInt(gap.Microseconds(), 10)
		all = append(all, Run{name(&p) + "-gap-" + usec + "us", p.Program() + " with " + usec + " usec between messages", p, result.SweepGap})
	}
	for _, op := range []option.Op{option.OpWrite, option.OpSend, option.OpRead} {
		p := planOf(base, op, option.KindBandwidth)
		p.Sizes, p.Verify = checked(base.Sizes), true
		all = append(all, Run{name(&p) + "-verify", p.Program() + ", every byte checked", p, ""})
	}
	return all
}

// planOf is the plan of a test that compares all modes.
func planOf(base *option.Plan, op option.Op, kind string) option.Plan {
	p := *base
	d := option.Defaults(option.Test{Op: op, Kind: kind})
	p.Test, p.TxDepth, p.RxDepth, p.Inline = d.Test, d.TxDepth, d.RxDepth, d.Inline
	p.Compare = true
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

func name(p *option.Plan) string { return string(p.Op) + "-" + p.Kind }

// nearest returns the size that is nearest to what is wanted.
func nearest(sizes []int, want int) int {
	return slices.MinFunc(sizes, func(a, b int) int { return max(a-want, want-a) - max(b-want, want-b) })
}

// checked picks the least and the greatest size that may be checked, and some between.
func checked(sizes []int) (some []int) {
	all := slices.Sorted(slices.Values(sizes))
	all = slices.DeleteFunc(all, func(size int) bool { return size > mostToSee && size != all[0] })
	for i := range checkSizes {
		some = append(some, all[i*(len(all)-1)/(checkSizes-1)])
	}
	return slices.Compact(some)
}

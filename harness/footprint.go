package harness

import (
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/option"
)

// Approximate sizes, in bytes.
const (
	bytesPerWR     = 512       // of a work request, in this process and in the device together
	bytesPerRow    = 560 << 10 // of a row: what this side has recorded, and the peer's statistics
	bytesPerWorker = 560 << 10 // of what a thread records in a round: samples and rates
	bytesPerRound  = 128       // of a row's round
)

// Footprint holds what each side needs for a plan.
type Footprint struct {
	Memory  int // bytes, approximately
	QPs     int
	Threads int // that measure
}

// Plus returns the sum of two footprints.
func (f Footprint) Plus(o Footprint) Footprint {
	return Footprint{f.Memory + o.Memory, f.QPs + o.QPs, f.Threads + o.Threads}
}

// Minus returns what of a footprint another one leaves.
func (f Footprint) Minus(o Footprint) Footprint {
	return Footprint{f.Memory - o.Memory, f.QPs - o.QPs, f.Threads - o.Threads}
}

// PlanFootprint returns the footprint of a plan, with what the peer's messages may take.
func PlanFootprint(plan option.ResolvedPlan) Footprint {
	set := testcase.NewSet(plan.Plan())
	p, qps := &set.Plan, setQPs(set)
	rows := len(set.Modes) * len(p.Sizes)
	parts := 1
	if p.Devices > 1 {
		parts += p.Devices // a row of each device
	}
	statistics := parts*(rows*bytesPerRow+mostRounds(p, rows)*bytesPerRound) + len(set.Modes)*p.AllThreads()*bytesPerWorker
	return Footprint{p.Devices*set.Layout.Bytes() + qps*(set.Queues.Sends+set.Queues.Recvs)*bytesPerWR + statistics + PlanBounds(plan).Memory(), qps, p.AllThreads()}
}

// mostRounds returns the largest number of rounds that the rows of a plan may have together.
func mostRounds(p *option.Plan, rows int) int {
	if p.Precision > 0 {
		return mostPreciseRounds
	}
	return rows * p.Rounds * p.Runs
}

// mostPreciseRounds is the largest number of rounds with which intervals are made narrow enough for --precision.
const mostPreciseRounds = 1 << 19

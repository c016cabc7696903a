package cli

import (
	"fmt"
	"slices"
	"sync"

	"github.com/ibperf/ibperf/cmd/internal/machine"
	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/option"
)

// memoryShare is the divisor of the machine's memory that runs may take.
const memoryShare = 2

// budget holds the memory, QPs and measuring threads that the runs of a server may take together.
type budget struct {
	limit harness.Footprint

	mu    sync.Mutex
	taken harness.Footprint
	runs  int
}

func newBudget(o *option.Own) *budget {
	b := &budget{limit: harness.Footprint{Memory: o.MaxMemory, QPs: o.MaxQPs, Threads: spinningThreads()}}
	if b.limit.Memory == 0 {
		b.limit.Memory = machineShare()
	}
	return b
}

// machineShare returns the number of bytes of this machine's memory that runs may take.
func machineShare() int { return int(machine.Memory() / memoryShare) }

// take takes what a plan needs, until release is called. A [busyError] says that other
// runs have to end first.
func (b *budget) take(plan option.ResolvedPlan) (release func(), err error) {
	p, need := plan.Plan(), harness.PlanFootprint(plan)
	b.mu.Lock()
	defer b.mu.Unlock()
	left := b.limit.Minus(b.taken)
	switch {
	case need.Memory > b.limit.Memory:
		return nil, conflict(tooLarge(&p, "the server", need.Memory, b.limit.Memory) + " (--max-memory)")
	case need.QPs > b.limit.QPs:
		return nil, conflict(fmt.Sprintf("the run has %d QPs, and the server allows %d (--max-qp)", need.QPs, b.limit.QPs))
	case need.Threads > b.limit.Threads:
		return nil, conflict(fmt.Sprintf("the run has %d measuring threads (--threads), and the server allows %d on its CPUs", need.Threads, b.limit.Threads))
	case need.Memory > left.Memory || need.QPs > left.QPs || need.Threads > left.Threads:
		return nil, &busyError{fmt.Sprintf("server busy: its %d other runs leave %d MiB of memory, %d QPs and %d threads, and this run needs %d MiB, %d QPs and %d threads",
			b.runs, left.Memory>>20, left.QPs, left.Threads, need.Memory>>20, need.QPs, need.Threads)}
	}
	b.taken, b.runs = b.taken.Plus(need), b.runs+1
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.taken, b.runs = b.taken.Minus(need), b.runs-1
	}, nil
}

// tooLarge returns the text of an error about a plan that needs more memory than a side has.
func tooLarge(p *option.Plan, side string, need, limit int) string {
	return fmt.Sprintf("messages of up to %d bytes on %d QPs need %d MiB of memory, and %s allows %d MiB: choose smaller sizes or fewer QPs",
		slices.Max(p.Sizes), p.QPs, need>>20, side, limit>>20)
}

// checkMemory refuses a plan that needs more memory than this client's machine may give.
func checkMemory(plan option.ResolvedPlan) error {
	need, limit := harness.PlanFootprint(plan).Memory, machineShare()
	if need <= limit {
		return nil
	}
	p := plan.Plan()
	return conflict(tooLarge(&p, "the client", need, limit))
}

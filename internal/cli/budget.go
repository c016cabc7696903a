package cli

import (
	"fmt"
	"slices"
	"sync"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/option"
)

// memoryShare is the part of the machine's memory that runs may take: a half.
const memoryShare = 2

// budget is what the runs of a side may take together.
type budget struct {
	most harness.Need

	mu    sync.Mutex
	taken harness.Need
	runs  int
}

// newBudget returns that of a server's runs, or of a client's only one.
func newBudget(o *option.Own) *budget {
	b := &budget{most: harness.Need{Memory: o.MaxMemory, QPs: o.MaxQPs}}
	if b.most.Memory == 0 {
		b.most.Memory = int(machineMemory() / memoryShare)
	}
	return b
}

// take takes what a plan needs, until give is called.
func (b *budget) take(p *option.Plan) (give func(), err error) {
	need := harness.NeedOf(*p)
	b.mu.Lock()
	defer b.mu.Unlock()
	beside := ""
	if b.runs > 0 {
		beside = fmt.Sprintf(" beside the other runs, %d at present", b.runs)
	}
	if left := b.most.Memory - b.taken.Memory; need.Memory > left {
		return nil, conflict(fmt.Sprintf("messages of %d bytes on %d QPs need %d MiB, and %d MiB of this machine may be taken%s: "+
			"choose smaller sizes or fewer QPs, or give a server more by --max-memory", slices.Max(p.Sizes), p.QPs, need.Memory>>20, left>>20, beside))
	}
	if left := b.most.QPs - b.taken.QPs; need.QPs > left {
		return nil, conflict(fmt.Sprintf("the run has %d QPs, and there may be %d%s: choose fewer QPs, or give a server more by --max-qp",
			need.QPs, left, beside))
	}
	b.add(need, 1)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.add(harness.Need{Memory: -need.Memory, QPs: -need.QPs}, -1)
	}, nil
}

// add counts a run; under the lock.
func (b *budget) add(n harness.Need, runs int) {
	b.taken.Memory += n.Memory
	b.taken.QPs += n.QPs
	b.runs += runs
}

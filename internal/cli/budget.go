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

// budget is what the runs of a server may take together.
type budget struct {
	most harness.Need

	mu    sync.Mutex
	taken harness.Need
	runs  int
}

func newBudget(o *option.Own) *budget {
	b := &budget{most: harness.Need{Memory: o.MaxMemory, QPs: o.MaxQPs}}
	if b.most.Memory == 0 {
		b.most.Memory = machineShare()
	}
	return b
}

// machineShare is how many bytes of this machine's memory runs may take.
func machineShare() int { return int(machineMemory() / memoryShare) }

// take takes what a plan needs, until give is called. What is too much for now may be had
// later.
func (b *budget) take(p *option.Plan) (give func(), err error) {
	need := harness.NeedOf(*p)
	b.mu.Lock()
	defer b.mu.Unlock()
	left := harness.Need{Memory: b.most.Memory - b.taken.Memory, QPs: b.most.QPs - b.taken.QPs}
	switch {
	case need.Memory > b.most.Memory:
		return nil, conflict(tooLarge(p, "the server", need.Memory, b.most.Memory) + " (--max-memory)")
	case need.QPs > b.most.QPs:
		return nil, conflict(fmt.Sprintf("the run has %d QPs, and the server allows %d (--max-qp)", need.QPs, b.most.QPs))
	case need.Memory > left.Memory || need.QPs > left.QPs:
		return nil, &busyError{fmt.Sprintf("the server's other runs, %d at present, leave %d MiB of memory and %d QPs, and %d MiB and %d QPs are needed",
			b.runs, left.Memory>>20, left.QPs, need.Memory>>20, need.QPs)}
	}
	b.add(need, 1)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.add(harness.Need{Memory: -need.Memory, QPs: -need.QPs}, -1)
	}, nil
}

// tooLarge says that a side does not have the memory of a plan.
func tooLarge(p *option.Plan, side string, need, most int) string {
	return fmt.Sprintf("messages of up to %d bytes on %d QPs need %d MiB of memory, and on %s %d MiB may be taken: choose smaller sizes or fewer QPs",
		slices.Max(p.Sizes), p.QPs, need>>20, side, most>>20)
}

// checkMemory refuses a plan that this client's machine cannot hold.
func checkMemory(p *option.Plan) error {
	need, most := harness.NeedOf(*p).Memory, machineShare()
	if need <= most {
		return nil
	}
	return conflict(tooLarge(p, "the client", need, most))
}

// add counts a run; under the lock.
func (b *budget) add(n harness.Need, runs int) {
	b.taken.Memory += n.Memory
	b.taken.QPs += n.QPs
	b.runs += runs
}

package loop

import (
	"fmt"

	"github.com/ibperf/ibperf/harness/internal/setup"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/verbs"
)

// In mode counter the receiver spins on a completion counter of each QP, which counts the peer's WRITEs to it.
// It learns how many have arrived, in the order of their posting (see [option.Plan.NoCounter]), and nothing
// else about them. So messages are the only WRITEs to the QP: an empty READ takes the place of the empty
// WRITE whose completion says that all requests before it are complete. The count goes on over all sizes,
// so a counter that lags behind the completions at the peer does no harm.

// writeCount is the number of WRITEs that a completion counter has counted.
type writeCount struct {
	counter verbs.CompCounter
	most    uint64 // largest value of the counter; the next one is 0
	value   uint64 // at the last reading
	total   uint64 // counted since the first reading
}

// newWriteCount returns the count of a connection, nil if it has no counter.
func newWriteCount(c *setup.Conn) *writeCount {
	if c.Counter == nil {
		return nil
	}
	return &writeCount{counter: c.Counter, most: c.Resources.MaxCount()}
}

// read reads the counter, up to spins times until it has changed.
func (n *writeCount) read(spins int) error {
	value, err := n.counter.ReadSpin(n.value, spins)
	if err != nil {
		return err
	}
	if value >= n.value {
		n.total += value - n.value
	} else {
		n.total += n.most - n.value + value + 1
	}
	n.value = value
	return nil
}

// ready returns the number of messages that have arrived and are not consumed. If there is none, it reads
// the counter, up to spins times.
func (i *receiver) ready(spins int) (uint64, error) {
	n := i.writes
	if n.total-i.countedBefore == i.arrived {
		if err := n.read(spins); err != nil {
			return 0, err
		}
	}
	return n.total - i.countedBefore - i.arrived, nil
}

// checkCount returns an error if the counter has counted more WRITEs than there were messages, before a
// round.
func (i *receiver) checkCount() error {
	if i.writes == nil {
		return nil
	}
	more, err := i.ready(1)
	if err == nil && more != 0 {
		err = fmt.Errorf("ibv_read_comp_cntr: the completion counter of QP %#x is %d, and %d WRITEs have been sent: the device counts something else, so mode counter is not possible",
			i.flow.qp.QPNum(), i.writes.value, i.writes.total-more)
	}
	return err
}

// counterSpins returns the number of readings of the counter of one QP in a call.
func (w *Worker) counterSpins() int { return max(1, w.spins/len(w.flows)) }

// arriveByCounter returns the function that reads the counter of every QP in turn for the next message,
// beginning after the QP of the last one.
func (w *Worker) arriveByCounter() func() (bool, error) {
	consume, spins, next := consumerOrNoop(w.test), w.counterSpins(), w.inTurn()
	return func() (bool, error) {
		for range w.flows {
			f := next()
			i := &f.in
			if n, err := i.ready(spins); n == 0 || err != nil {
				if err != nil {
					return false, err
				}
				continue
			}
			consume(i, i.arrived)
			i.arrived++
			w.rotation.receivedOn = f
			return true, nil
		}
		return false, nil
	}
}

// takeCounted returns the function that detects messages of a stream by counters, at most *limit of a flow at
// a time, and sends credits for their slots.
func (w *Worker) takeCounted(limit *uint64) func() (uint64, error) {
	consume, spins := consumerOrNoop(w.test), w.counterSpins()
	return func() (all uint64, err error) {
		for _, f := range w.flows {
			i := &f.in
			n, err := i.ready(spins)
			if err != nil {
				return 0, err
			}
			n = min(n, *limit, i.due-i.arrived)
			for range n {
				consume(i, i.arrived)
				i.arrived++
			}
			if all += n; i.arrived < i.due {
				continue
			}
			i.due = i.arrived + i.batch
			if err := i.returnByCredit(); err != nil {
				return 0, err
			}
		}
		return all, nil
	}
}

// lastOpcode returns the opcode of an empty request whose completion says that all requests before it are
// complete.
func lastOpcode(m testcase.Mode) verbs.Opcode {
	if m.ByCounter() { // of which each WRITE is a message
		return verbs.OpRDMARead
	}
	return verbs.OpRDMAWrite
}

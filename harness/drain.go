package harness

import (
	"fmt"

	"github.com/ibperf/ibperf/harness/internal/loop"
)

// drain empties all queues at the end of a size: it waits for all requests, and sends empty
// messages that take the remaining receives. Lost empty messages are sent again.
func (s *session) drain() error {
	var flows []*loop.Flow
	for i := range s.decision.modes {
		if s.decision.sharesQPs(i) {
			continue
		}
		flows = append(flows, s.group(i).Flows()...)
	}
	if s.exact() {
		return s.drainAlone(flows)
	}
	for range drainTries {
		empty, err := s.drainOnce(flows)
		if err != nil {
			return err
		}
		if empty {
			s.current = -1
			return nil
		}
	}
	return fmt.Errorf("receives are still posted after %d attempts to drain the receive queues with empty messages", drainTries)
}

// drainAlone waits for all requests of this side and sends nothing. Receives may remain, and
// messages to a peer that ends by its own time.
func (s *session) drainAlone(flows []*loop.Flow) error {
	if s.cases[0][0].EndsAtOnce {
		flows = nil
	}
	for _, f := range flows {
		if err := f.UseUp(0); err != nil {
			return err
		}
	}
	s.current = -1
	return nil
}

// drainTries is the number of attempts to drain the receive queues.
const drainTries = 20

// drainOnce drains all queues once and reports whether they are empty.
func (s *session) drainOnce(flows []*loop.Flow) (empty bool, err error) {
	unused := make([]uint64, len(flows))
	for i, f := range flows {
		unused[i] = f.Unused()
	}
	theirs, err := s.peer.Drain(unused)
	if err != nil {
		return false, err
	}
	if len(theirs) != len(unused) {
		return false, fmt.Errorf("the peer drains %d QPs, this side %d", len(theirs), len(unused))
	}
	for i, f := range flows {
		if err := f.UseUp(theirs[i]); err != nil {
			return false, err
		}
	}
	lossy := s.cases[0][s.current].Lossy
	for _, f := range flows {
		if err := f.AwaitUsedUp(); err != nil {
			return false, err
		}
	}
	return !lossy || total(unused)+total(theirs) == 0, nil
}

// total returns the sum of numbers.
func total(all []uint64) (n uint64) {
	for _, x := range all {
		n += x
	}
	return n
}

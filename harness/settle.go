package harness

import (
	"fmt"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// restock polls the completions of all receives that messages have taken, and posts them
// again: the next round of the way finds as many as the first one.
func (w *worker) restock() error {
	if !w.scheme.receives || !w.scheme.in.has(w.rig.cfg.Role) {
		return nil
	}
	deadline := time.Now().Add(lastMessages)
	for _, l := range w.lanes {
		for l.in.unreaped() > 0 {
			if _, err := w.reapRecvs(); err != nil {
				return err
			}
			if err := w.patient(deadline, "completions of receives"); err != nil {
				return err
			}
		}
		if err := l.in.restock(); err != nil {
			return err
		}
	}
	return nil
}

// patient ends a wait for what should have completed.
func (w *worker) patient(deadline time.Time, what string) error {
	if w.halt.on() {
		return w.halt.reason()
	}
	if time.Now().After(deadline) {
		return fmt.Errorf("mode %s, %d bytes: %s did not come within %v after the measurement", w.group.way, w.scheme.size, what, lastMessages)
	}
	w.yield()
	return nil
}

// settle brings all QPs to rest once a size is done: every request is complete, and
// receives that are left over are used up by empty messages, so that the next size finds
// the queues empty.
func (s *session) settle() error {
	var lanes []*lane
	for i := range s.gate.ways {
		lanes = append(lanes, s.group(i).lanes()...)
	}
	unused := make([]uint64, len(lanes))
	for i, l := range lanes {
		unused[i] = l.in.unused()
	}
	theirs, err := s.peer.Rest(unused)
	if err != nil {
		return err
	}
	if len(theirs) != len(unused) {
		return fmt.Errorf("the peer settles %d QPs where there are %d", len(theirs), len(unused))
	}
	for i, l := range lanes {
		if err := l.settle(theirs[i]); err != nil {
			return err
		}
	}
	s.current = -1
	return nil
}

// settleBatch is how many empty messages are on their way at a time, at most and if
// the send queue holds them with the request that asks for their end.
const settleBatch = 16

// settle sends n empty messages and waits until both queues are at rest.
func (l *lane) settle(n uint64) error {
	if n > uint64(l.worker.rig.queues.recvs) {
		return fmt.Errorf("the peer claims %d unused receives", n)
	}
	w, deadline := l.worker, time.Now().Add(lastMessages)
	batch := uint64(min(settleBatch, w.rig.queues.sends-1))
	for {
		if err := l.flush(deadline); err != nil {
			return err
		}
		if n == 0 {
			break
		}
		for range min(n, batch) {
			if err := l.postEmpty(verbs.OpSend, 0, 0); err != nil {
				return err
			}
			n--
		}
	}
	for l.in.owed > 0 {
		if _, err := w.reapRecvs(); err != nil {
			return err
		}
		if err := w.patient(deadline, "empty messages"); err != nil {
			return err
		}
	}
	return nil
}

// flush returns when all requests of the lane's send queue are complete.
func (l *lane) flush(deadline time.Time) error {
	l.in.credits.posted++
	want := l.in.credits.posted
	if err := l.postEmpty(verbs.OpRDMAWrite, verbs.SendSignaled, l.wrid(creditBit|want)); err != nil {
		return err
	}
	for l.in.credits.done < want {
		if _, err := l.worker.reapSends(); err != nil {
			return err
		}
		if err := l.worker.patient(deadline, "completions of sends"); err != nil {
			return err
		}
	}
	return nil
}

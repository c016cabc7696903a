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
// the queues empty. Empty messages that are lost are sent again.
func (s *session) settle() error {
	var lanes []*lane
	for i := range s.gate.ways {
		lanes = append(lanes, s.group(i).lanes()...)
	}
	for range settleTries {
		over, err := s.settleOnce(lanes)
		if err != nil {
			return err
		}
		if over {
			s.current = -1
			return nil
		}
	}
	return fmt.Errorf("receives are left over after %d times as many empty messages", settleTries)
}

// settleTries is how often empty messages are sent for receives that are left.
const settleTries = 20

// settleOnce is settle, with which is over whether no receive was left.
func (s *session) settleOnce(lanes []*lane) (over bool, err error) {
	unused := make([]uint64, len(lanes))
	for i, l := range lanes {
		unused[i] = l.in.unused()
	}
	theirs, err := s.peer.Rest(unused)
	if err != nil {
		return false, err
	}
	if len(theirs) != len(unused) {
		return false, fmt.Errorf("the peer settles %d QPs where there are %d", len(theirs), len(unused))
	}
	for i, l := range lanes {
		if err := l.use(theirs[i]); err != nil {
			return false, err
		}
	}
	lossy := lanes[0].worker.scheme.lossy
	for _, l := range lanes {
		if err := l.used(); err != nil {
			return false, err
		}
	}
	return !lossy || total(unused)+total(theirs) == 0, nil
}

func total(all []uint64) (n uint64) {
	for _, x := range all {
		n += x
	}
	return n
}

// settleBatch is how many empty messages are on their way at a time, at most and if
// the send queue holds them with the request that asks for their end.
const settleBatch = 16

// use uses n receives of the peer up and waits until the send queue is at rest.
func (l *lane) use(n uint64) error {
	if n > uint64(l.worker.rig.queues.recvs) {
		return fmt.Errorf("the peer claims %d unused receives", n)
	}
	batch := uint64(min(settleBatch, l.worker.rig.queues.sends-1))
	for {
		if err := l.flush(); err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		for range min(n, batch) {
			if err := l.postUnused(); err != nil {
				return err
			}
			n--
		}
	}
}

// postUnused posts an empty message. Of UD each asks for its completion.
func (l *lane) postUnused() error {
	if !l.worker.rig.datagrams() {
		return l.postEmpty(verbs.OpSend, 0, 0)
	}
	l.in.credits.posted++
	return l.postEmpty(verbs.OpSend, verbs.SendSignaled, l.wrid(creditBit|l.in.credits.posted))
}

// used waits until all receives of the lane are used up or, where messages are lost, nothing
// comes any more.
func (l *lane) used() error {
	w := l.worker
	for quiet := time.Now(); l.in.owed > 0; {
		n, err := w.reapRecvs()
		if err != nil {
			return err
		}
		if n > 0 {
			quiet = time.Now()
		}
		if w.scheme.lossy && time.Since(quiet) > settleQuiet {
			return nil
		}
		if err := w.patient(quiet.Add(lastMessages), "empty messages"); err != nil {
			return err
		}
	}
	return nil
}

// settleQuiet is how long nothing comes until empty messages count as lost.
const settleQuiet = 20 * time.Millisecond

// flush returns when all requests of the lane's send queue are complete. UD has no empty
// WRITE to ask for that: there the last message has asked.
func (l *lane) flush() error {
	if !l.worker.rig.datagrams() {
		l.in.credits.posted++
		if err := l.postEmpty(verbs.OpRDMAWrite, verbs.SendSignaled, l.wrid(creditBit|l.in.credits.posted)); err != nil {
			return err
		}
	}
	deadline := time.Now().Add(lastMessages)
	for l.in.credits.done < l.in.credits.posted || l.worker.rig.datagrams() && l.out.done < l.out.marked {
		if _, err := l.worker.reapSends(); err != nil {
			return err
		}
		if err := l.worker.patient(deadline, "completions of sends"); err != nil {
			return err
		}
	}
	return nil
}

package harness

import (
	"fmt"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// settle brings both sides to rest after a measurement: every request is
// complete, and receives that are left over are used up by empty messages, so
// that the next measurement finds the queues empty.
func (s *session) settle(m *measurement) error {
	if m.deadline != nil {
		m.deadline.Stop()
	}
	unused := make([]uint64, len(m.rig.lanes))
	for i, l := range m.rig.lanes {
		unused[i] = l.unusedRecvs(m)
	}
	theirs, err := swap(s.cfg.Exchanger, m.step("settle"), unused)
	if err != nil {
		return err
	}
	if len(theirs) != len(unused) {
		return fmt.Errorf("the peer settles %d QPs where there are %d", len(theirs), len(unused))
	}
	for i, l := range m.rig.lanes {
		if err := l.settle(m, theirs[i]); err != nil {
			return err
		}
	}
	return nil
}

// unusedRecvs returns how many posted receives no message has taken. Messages
// that were seen in memory alone have taken one too.
func (l *lane) unusedRecvs(m *measurement) uint64 {
	if !takesReceives(m.opcode) {
		return 0
	}
	return l.owed - (l.arrived - l.reaped)
}

// settleBatch is how many empty messages are on their way at a time, at most and if
// the send queue holds them with the request that asks for their end.
const settleBatch = 16

// settle sends n empty messages and waits until both queues are at rest.
func (l *lane) settle(m *measurement, n uint64) error {
	if n > MaxDepth {
		return fmt.Errorf("the peer claims %d unused receives", n)
	}
	deadline := time.Now().Add(lastMessages)
	batch := uint64(min(settleBatch, l.rig.sendDepth()-1))
	for {
		if l.done < l.posted {
			if err := l.postEmpty(verbs.OpRDMAWrite, true); err != nil {
				return err
			}
			if err := l.drain(m, deadline, func() bool { return l.done == l.posted }); err != nil {
				return err
			}
		}
		if n == 0 {
			return l.drain(m, deadline, func() bool { return l.owed == 0 })
		}
		for range min(n, batch) {
			if err := l.postEmpty(verbs.OpSend, false); err != nil {
				return err
			}
			n--
		}
	}
}

// drain polls both queues until done says so.
func (l *lane) drain(m *measurement, deadline time.Time, done func() bool) error {
	for !done() {
		wc, err := m.send.poll()
		if err != nil {
			return err
		}
		for i := range wc {
			m.rig.lanes[wc[i].WRID>>laneShift].completed(wc[i].WRID)
		}
		if wc, err = m.recv.poll(); err != nil {
			return err
		}
		for i := range wc {
			m.rig.lanes[wc[i].WRID].received(1)
		}
		if err := m.halt.reason(); err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("mode %s, %d bytes: work posted on QP %#x did not complete within %v after the measurement", m.mode, m.size, l.qp.QPNum(), lastMessages)
		}
	}
	return nil
}

package harness

import "github.com/ibperf/ibperf/verbs"

// How the arrival of one message is seen: in memory, by its markers, or by the
// completion of the receive or read that it took.

// verify checks message k at the moment its arrival was detected. A message
// that told of itself in memory is then poisoned, so that a second delivery shows.
func (l *lane) verify(m *measurement, k uint64) {
	if m.plan.Op == OpRead {
		l.check.Check(l.rx.Index(k))
		return
	}
	l.check.Check(k)
	if m.mode == ModeData {
		l.rxMarks.Poison(k)
	}
}

// awaitMarker returns the wait until the markers of a message are in memory; as
// tells by the number of a message which message's contents it has.
func (l *lane) awaitMarker(m *measurement, as func(k uint64) uint64) func(uint64) error {
	marks := l.rxMarks
	return func(k uint64) error {
		marks.Expect(as(k))
		for looks := 0; !marks.Here(); {
			if m.over(k) {
				return errOver
			}
			yield(&looks, 1)
		}
		l.arrived = k + 1
		return nil
	}
}

// awaitOnce is awaitMarker that also counts deliveries of the message before.
func (l *lane) awaitOnce(m *measurement, k uint64) error {
	looks := 0
	for !l.rxMarks.Arrived(k) {
		l.notice(k)
		if m.over(k) {
			return errOver
		}
		yield(&looks, 1)
	}
	l.arrived = k + 1
	return nil
}

// notice counts that the slot of message k holds its last message again.
func (l *lane) notice(k uint64) {
	if l.rxMarks.Again(k) {
		before := k - uint64(l.slots)
		l.check.Duplicate(before)
		l.rxMarks.Poison(before)
	}
}

// awaitRecv returns the wait for a message's receive completion.
func (l *lane) awaitRecv(m *measurement) func(uint64) error {
	wait := m.recv.method(m.mode)
	return func(k uint64) error {
		for l.reaped <= k {
			wc, err := wait()
			if err != nil {
				return err
			}
			if len(wc) == 0 && m.over(k) {
				return errOver
			}
			l.received(len(wc))
		}
		l.arrived = k + 1
		return nil
	}
}

// received notes completions of receives.
func (l *lane) received(n int) {
	l.reaped += uint64(n)
	l.freeRecvs += uint64(n)
	l.owed -= uint64(n)
}

// awaitRead returns the wait for a read's completion.
func (l *lane) awaitRead(m *measurement) func(uint64) error {
	wait := m.send.method(m.mode)
	return func(k uint64) error {
		for l.complete() <= k {
			wc, err := wait()
			if err != nil {
				return err
			}
			if len(wc) == 0 && m.over(k) {
				return errOver
			}
			l.sendsDone(wc)
		}
		return nil
	}
}

func (l *lane) sendsDone(wc []verbs.WC) {
	for i := range wc {
		l.completed(wc[i].WRID)
	}
}

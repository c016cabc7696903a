package loop

// Mode adaptive polls as mode poll does until it has found no completion for as long as --spin says.
// Then it arms the CQs, polls once more, because a completion before the arming raises no event, and
// sleeps until an event. After the event it polls again from the beginning.

// timedSpins is the number of polls of an empty CQ between two readings of the clock if --spin is a time.
const timedSpins = 16

// chooseRest chooses what a worker does after empty polls, and sets how many of these are one call: one
// if the worker has other work between two polls, or if its mode sleeps after one.
func (w *Worker) chooseRest(sends bool) {
	c, spins := w.test, cqSpins
	if w.rest = w.sleep.armOrSleep; c.Spins() {
		w.rest = w.spinThenSleep
	}
	switch {
	case c.OpenLoop, c.Sleeps && !c.Spins(), w.duplex(), sends && !c.PingPong && (c.Burst > 0 || c.PollsMemory || c.UsesCredits):
		spins = 1
	case c.Spin.Time > 0:
		spins = timedSpins
	case c.Spins():
		spins = min(cqSpins, c.Spin.Polls)
	}
	w.spinsPerCall, w.spins = spins, spins
}

// progressed ends a wait.
func (w *Worker) progressed() { w.idling, w.spins = idling{}, w.spinsPerCall }

// spinThenSleep is called after w.spins empty polls. While the worker is to poll on, it returns at once.
func (w *Worker) spinThenSleep() error {
	if w.spinsOn() {
		return nil
	}
	w.spins = 1
	events := w.sleep.events
	if err := w.sleep.armOrSleep(); err != nil {
		return err
	}
	if w.sleep.events > events {
		w.idling.polled, w.idling.spinBegan, w.spins = 0, 0, w.spinsPerCall
	}
	return nil
}

// spinsOn counts the polls of the last call, and reports whether more may follow before the worker
// sleeps.
func (w *Worker) spinsOn() bool {
	i, most := &w.idling, &w.test.Spin
	if most.Time > 0 {
		now := w.spare.Now()
		if i.spinBegan == 0 {
			i.spinBegan = now
		}
		return now-i.spinBegan < int64(most.Time)
	}
	i.polled = min(i.polled+w.spins, most.Polls)
	if i.polled == most.Polls {
		return false
	}
	w.spins = min(w.spins, most.Polls-i.polled)
	return true
}

package loop

import "github.com/ibperf/ibperf/internal/sched"

// chooseCalls chooses the functions that prepare and await messages, and that free slots and receives.
func (w *Worker) chooseCalls() {
	c := w.test
	w.rotation.begin(w.flows)
	calls := pingPongCalls{load: loader(c), recycle: w.recycleSends, wait: w.yieldStep, exchange: w.exchanger()}
	if calls.load == nil {
		calls.load = func(*sender, uint64) {}
	}
	switch {
	case c.Spins():
		calls.wait = both(w.yieldStep, w.rest)
	case c.Sleeps:
		calls.wait = w.rest
	}
	switch {
	case c.Fetches && c.PollsMemory:
		calls.arrive = w.fetchedInMemory()
	case c.Fetches:
		calls.arrive = w.fetched()
		calls.recycle = func() error { return nil }
	case c.PollsMemory && len(w.flows) > 1:
		calls.arrive = w.arriveOnAnyQP()
	case c.PollsMemory:
		calls.arrive = w.arriveInMemory()
	case c.ByCounter:
		calls.arrive = w.arriveByCounter()
	case c.RecvFromCQE:
		calls.arrive = w.arriveByRecv()
	default:
		calls.arrive = w.arriveByCompletion()
	}
	if c.PollsCQToo {
		calls.arrive = w.withCQCheckOnce(calls.arrive)
	}
	switch {
	case !c.UsesReceives:
	case c.Exact:
		calls.recycle = both(calls.recycle, func() error { return w.rotation.receivedOn.in.repostAllowed() })
	case c.PollsMemory:
		calls.recycle = both(calls.recycle, w.recycleRecvs)
	case c.RecvFromCQE:
		calls.recycle = both(calls.recycle, func() error { return w.rotation.recvOwner.in.repost() })
	default:
		calls.recycle = both(calls.recycle, func() error { return w.rotation.receivedOn.in.repost() })
	}
	w.pingPong = calls
}

// both returns a function that calls f and then g.
func both(f, g func() error) func() error {
	return func() error {
		if err := f(); err != nil {
			return err
		}
		return g()
	}
}

// yieldStep is the wait function of modes that do not sleep.
func (w *Worker) yieldStep() error {
	w.yield()
	return nil
}

// arriveInMemory returns the function that polls memory for the markers of the next message.
func (w *Worker) arriveInMemory() func() (bool, error) {
	i, consume := &w.flows[0].in, consumer(w.test)
	spins := w.memorySpins()
	arrived := func() bool { return spinFor(spins, i.marks.ArrivedCurrent) }
	if w.test.Verify {
		arrived = func() bool {
			i.noticeRedelivery(i.arrived)
			return i.marks.Arrived(i.arrived)
		}
	}
	if consume == nil {
		return func() (bool, error) {
			i.marks.Seek(i.arrived)
			for range spins {
				if i.marks.ArrivedCurrent() {
					i.arrived++
					return true, nil
				}
				sched.Pause()
			}
			return false, nil
		}
	}
	return func() (bool, error) {
		i.marks.Seek(i.arrived)
		if !arrived() {
			return false, nil
		}
		consume(i, i.arrived)
		i.arrived++
		return true, nil
	}
}

// memorySpins returns the number of polls of memory in one call: one if messages may be due meanwhile.
func (w *Worker) memorySpins() int {
	if w.test.OpenLoop {
		return 1
	}
	return memorySpin
}

// spinFor reports whether arrived returns true within a number of calls.
func spinFor(spins int, arrived func() bool) bool {
	for range spins {
		if arrived() {
			return true
		}
		sched.Pause()
	}
	return false
}

// arriveByCompletion returns the function that polls for a message's receive completion.
func (w *Worker) arriveByCompletion() func() (bool, error) {
	limit := uint64(1)
	consume, reap := consumerOrNoop(w.test), w.receivePoller(&limit)
	return func() (bool, error) {
		wcs, err := reap()
		if len(wcs) == 0 {
			return false, err
		}
		w.rotation.receivedOn = w.flows[wcs[0].WRID]
		i := &w.rotation.receivedOn.in
		i.received(1)
		consume(i, i.arrived)
		i.arrived++
		return true, nil
	}
}

// fetched returns the function that polls for the completion of a READ or atomic operation.
func (w *Worker) fetched() func() (bool, error) {
	o, consume := &w.flows[0].out, fetchConsumer(w.test)
	return func() (bool, error) {
		if o.done == o.finished {
			if n, err := w.sendsDone(w.sendCQ.PollSpin(w.sendWCs, w.spins)); n == 0 {
				return false, err
			}
		}
		if consume != nil {
			consume(o, o.finished)
		}
		o.finished++
		return true, nil
	}
}

// fetchedInMemory returns the function that polls memory for the markers of READ data.
func (w *Worker) fetchedInMemory() func() (bool, error) {
	o, consume := &w.flows[0].out, fetchConsumer(w.test)
	if consume == nil {
		consume = func(*sender, uint64) {}
	}
	spins := w.memorySpins()
	return func() (bool, error) {
		o.found.Seek(o.into.Index(o.finished))
		for range spins {
			if o.found.ArrivedCurrent() {
				consume(o, o.finished)
				o.finished++
				return true, nil
			}
			sched.Pause()
		}
		return false, nil
	}
}

// withCQCheckOnce is [Worker.withCQCheck] for the arrive function of a ping-pong.
func (w *Worker) withCQCheckOnce(arrive func() (bool, error)) func() (bool, error) {
	poll := w.withCQCheck(func() (uint64, error) {
		arrived, err := arrive()
		if arrived {
			return 1, err
		}
		return 0, err
	})
	return func() (bool, error) {
		n, err := poll()
		return n > 0, err
	}
}

// recycleSends polls the send CQ while a signaled request is outstanding. It waits for the completion
// only if the next message needs the slot of a message that may still be in the send queue.
func (w *Worker) recycleSends() error {
	o := &w.rotation.sentOn.out
	for o.marked > o.done {
		if _, err := w.reapSends(); err != nil {
			return err
		}
		if o.sent-o.done < uint64(o.slots) {
			return nil
		}
		if w.halt.On() {
			return errOver
		}
	}
	return nil
}

// recycleRecvs polls the receive completions of messages that were detected in memory. It waits for
// them only if no receive would remain posted.
func (w *Worker) recycleRecvs() error {
	i := &w.rotation.receivedOn.in
	for i.unreaped() > 0 {
		if _, err := w.reapRecvs(); err != nil {
			return err
		}
		if i.unreaped()+int64(i.free) < int64(i.posted-1) {
			break
		}
		if w.halt.On() {
			return errOver
		}
	}
	return i.repost()
}

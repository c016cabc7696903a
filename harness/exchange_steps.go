package harness

import "github.com/ibperf/ibperf/internal/place"

// chooseSteps decides how the worker's messages are made ready, awaited and tidied up
// after.
func (w *worker) chooseSteps() {
	s := w.scheme
	w.turns.begin(w.lanes)
	st := steps{load: s.loader(), tidy: w.tidySends, wait: w.pause}
	if st.load == nil {
		st.load = func(*sender, uint64) {}
	}
	if s.sleeps {
		st.wait = w.sleep.nap
	}
	switch {
	case s.fetch && s.memory:
		st.arrive = w.fetchedInMemory()
	case s.fetch:
		st.arrive = w.fetched()
		st.tidy = func() error { return nil }
	case s.memory && len(w.lanes) > 1:
		st.arrive = w.arriveAmong()
	case s.memory:
		st.arrive = w.arriveInMemory()
	case s.placed:
		st.arrive = w.arrivePlaced()
	default:
		st.arrive = w.arriveByCompletion()
	}
	if s.look {
		st.arrive = w.glancingOnce(st.arrive)
	}
	switch {
	case !s.receives:
	case s.memory:
		st.tidy = both(st.tidy, w.tidyRecvs)
	case s.placed:
		st.tidy = both(st.tidy, func() error { return w.turns.home.in.repost() })
	default:
		st.tidy = both(st.tidy, func() error { return w.turns.from.in.repost() })
	}
	w.steps = st
}

func both(f, g func() error) func() error {
	return func() error {
		if err := f(); err != nil {
			return err
		}
		return g()
	}
}

// pause is what a spinning wait does between its spins.
func (w *worker) pause() error {
	w.yield()
	return nil
}

// arriveInMemory looks for the markers of the next message.
func (w *worker) arriveInMemory() func() (bool, error) {
	i, consume := &w.lanes[0].in, w.scheme.consumer()
	here := func() bool { return spinFor(i.marks.Here) }
	if w.scheme.verify {
		here = func() bool {
			i.notice(i.arrived)
			return i.marks.Arrived(i.arrived)
		}
	}
	if consume == nil {
		return func() (bool, error) {
			i.marks.Expect(i.arrived)
			for range memorySpin {
				if i.marks.Here() {
					i.arrived++
					return true, nil
				}
				place.PauseOnce()
			}
			return false, nil
		}
	}
	return func() (bool, error) {
		i.marks.Expect(i.arrived)
		if !here() {
			return false, nil
		}
		consume(i, i.arrived)
		i.arrived++
		return true, nil
	}
}

// spinFor looks until there is something, for a while.
func spinFor(here func() bool) bool {
	for range memorySpin {
		if here() {
			return true
		}
		place.PauseOnce()
	}
	return false
}

// arriveByCompletion waits for a message's receive completion.
func (w *worker) arriveByCompletion() func() (bool, error) {
	most := uint64(1)
	consume, reap := w.scheme.consumerOf(), w.receivePoller(&most)
	return func() (bool, error) {
		wcs, err := reap()
		if len(wcs) == 0 {
			return false, err
		}
		w.turns.from = w.lanes[wcs[0].WRID]
		i := &w.turns.from.in
		i.received(1)
		consume(i, i.arrived)
		i.arrived++
		return true, nil
	}
}

// fetched waits for a READ's completion.
func (w *worker) fetched() func() (bool, error) {
	o, consume, polls := &w.lanes[0].out, w.scheme.fetchConsumer(), spins
	if w.scheme.sleeps {
		polls = 1
	}
	return func() (bool, error) {
		if o.done == o.finished {
			if n, err := w.sendsDone(w.sendCQ.PollSpin(w.sendWCs, polls)); n == 0 {
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

// fetchedInMemory looks for the markers of what a READ brings.
func (w *worker) fetchedInMemory() func() (bool, error) {
	o, consume := &w.lanes[0].out, w.scheme.fetchConsumer()
	if consume == nil {
		consume = func(*sender, uint64) {}
	}
	return func() (bool, error) {
		o.found.Expect(o.into.Index(o.finished))
		for range memorySpin {
			if o.found.Here() {
				consume(o, o.finished)
				o.finished++
				return true, nil
			}
			place.PauseOnce()
		}
		return false, nil
	}
}

// glancingOnce is arrive with a look at the CQs now and then, see [worker.glancing].
func (w *worker) glancingOnce(arrive func() (bool, error)) func() (bool, error) {
	step := w.glancing(func() (uint64, error) {
		here, err := arrive()
		if here {
			return 1, err
		}
		return 0, err
	})
	return func() (bool, error) {
		n, err := step()
		return n > 0, err
	}
}

// tidySends polls the send queue's completions once a signaled request is out. It waits
// for them only where the next message would overwrite one that may not have left.
func (w *worker) tidySends() error {
	o := &w.turns.to.out
	for o.marked > o.done {
		if _, err := w.reapSends(); err != nil {
			return err
		}
		if o.sent-o.done < uint64(o.slots) {
			return nil
		}
		if w.halt.on() {
			return errOver
		}
	}
	return nil
}

// tidyRecvs polls receive completions of messages that were seen in memory before. It
// waits for them only where no receive would be left.
func (w *worker) tidyRecvs() error {
	i := &w.turns.from.in
	for i.unreaped() > 0 {
		if _, err := w.reapRecvs(); err != nil {
			return err
		}
		if i.unreaped()+int64(i.free) < int64(i.posted-1) {
			break
		}
		if w.halt.on() {
			return errOver
		}
	}
	return i.repost()
}

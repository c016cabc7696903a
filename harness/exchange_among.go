package harness

import "sync/atomic"

// A watch is where the next message of a QP shows first.
type watch struct {
	word       *uint64
	mask, want uint64
}

// arriveAmong looks for the next message of every QP in their order, going on where it
// found the last one. What it looks at lies side by side, as in an application that is made
// for it: a look is a load, a mask and a comparison.
func (w *worker) arriveAmong() func() (bool, error) {
	if w.scheme.verify {
		return w.arriveAmongChecked()
	}
	watches := make([]watch, len(w.lanes))
	for n, l := range w.lanes {
		watches[n] = l.in.watch()
	}
	consume, next := w.scheme.consumerOf(), 0
	return func() (bool, error) {
		for range max(memorySpin, len(watches)) {
			n := next
			if next++; next == len(watches) {
				next = 0
			}
			x := &watches[n]
			if atomic.LoadUint64(x.word)&x.mask != x.want {
				continue
			}
			i := &w.lanes[n].in
			if !i.marks.Here() { // further markers
				continue
			}
			consume(i, i.arrived)
			i.arrived++
			*x = i.watch()
			w.turns.from = w.lanes[n]
			return true, nil
		}
		return false, nil
	}
}

// watch turns the receiver's markers to the next message, and returns where it shows.
func (i *receiver) watch() (x watch) {
	i.marks.Expect(i.arrived)
	x.word, x.mask, x.want = i.marks.First()
	return x
}

// arriveAmongChecked is arriveAmong for runs that verify.
func (w *worker) arriveAmongChecked() func() (bool, error) {
	consume, next := w.scheme.consumerOf(), 0
	return func() (bool, error) {
		for range max(memorySpin, len(w.lanes)) {
			l := w.lanes[next]
			if next++; next == len(w.lanes) {
				next = 0
			}
			i := &l.in
			if i.notice(i.arrived); !i.marks.Arrived(i.arrived) {
				continue
			}
			consume(i, i.arrived)
			i.arrived++
			w.turns.from = l
			return true, nil
		}
		return false, nil
	}
}

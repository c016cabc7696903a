package loop

import "sync/atomic"

// memoryWord is the word in which the next message of a QP appears first.
type memoryWord struct {
	word       *uint64
	mask, want uint64
}

// arriveOnAnyQP returns the function that polls memory for the next message of every QP in turn,
// beginning after the QP of the last one. The words to poll are in one slice, as a tuned application
// would keep them: a poll is a load, a mask and a comparison.
func (w *Worker) arriveOnAnyQP() func() (bool, error) {
	if w.test.Verify {
		return w.arriveOnAnyQPChecked()
	}
	watches := make([]memoryWord, len(w.flows))
	for n, f := range w.flows {
		watches[n] = f.in.nextWord()
	}
	consume, next, spins := consumerOrNoop(w.test), 0, max(w.memorySpins(), len(watches))
	return func() (bool, error) {
		for range spins {
			n := next
			if next++; next == len(watches) {
				next = 0
			}
			x := &watches[n]
			if atomic.LoadUint64(x.word)&x.mask != x.want {
				continue
			}
			i := &w.flows[n].in
			if !i.marks.ArrivedCurrent() { // further markers
				continue
			}
			consume(i, i.arrived)
			i.arrived++
			*x = i.nextWord()
			w.rotation.receivedOn = w.flows[n]
			return true, nil
		}
		return false, nil
	}
}

// nextWord sets the receiver's markers to the next message, and returns the word to poll.
func (i *receiver) nextWord() (x memoryWord) {
	i.marks.Seek(i.arrived)
	x.word, x.mask, x.want = i.marks.First()
	return x
}

// arriveOnAnyQPChecked is arriveOnAnyQP with --verify.
func (w *Worker) arriveOnAnyQPChecked() func() (bool, error) {
	consume, next, spins := consumerOrNoop(w.test), w.inTurn(), max(w.memorySpins(), len(w.flows))
	return func() (bool, error) {
		for range spins {
			f := next()
			i := &f.in
			if i.noticeRedelivery(i.arrived); !i.marks.Arrived(i.arrived) {
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

// inTurn returns the function that returns the flows in turn.
func (w *Worker) inTurn() func() *Flow {
	next := 0
	return func() *Flow {
		f := w.flows[next]
		if next++; next == len(w.flows) {
			next = 0
		}
		return f
	}
}

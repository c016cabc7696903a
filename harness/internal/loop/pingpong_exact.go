package loop

import "time"

// exactPingPong exchanges as many messages as the round has, and no others: the side that sends first
// sends each of them and awaits each answer, and the other side awaits and answers each. Both sides
// measure: a sample is the time from one post to the next, so n messages have n-1 samples. READs and atomic
// operations, and messages with pauses between them, have a sample each. In a timed round each side ends
// by its own time, also while it waits.
func (w *Worker) exactPingPong(l Length) error {
	if l.Duration > 0 {
		defer time.AfterFunc(l.Duration, func() { w.Expect(0) }).Stop()
	}
	first := w.cfg.Role == w.test.First
	if first && w.isolates() {
		w.beginMeter()
		return w.isolate(l)
	}
	o := w.prepareNext(w.rotation.nextFlow())
	if !first {
		if err := w.await(); err != nil {
			return err
		}
	}
	w.beginMeter()
	start := w.Clock.Now()
	if err := o.fire(); err != nil {
		return err
	}
	n, until := sampleLimit(l, start)
	if l.Messages > 0 {
		n--
	}
	err := w.measureRoundTrips(start, n, until)
	w.endMeter()
	if err != nil || !first {
		return err
	}
	return w.awaitLast()
}

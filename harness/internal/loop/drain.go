package loop

import (
	"fmt"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// Restock waits for the completions of all receives that messages have taken and posts those receives
// again, so that all rounds of the mode begin with the same number of receives.
func (w *Worker) Restock() error {
	if !w.test.UsesReceives || !w.test.Receivers.Has(w.cfg.Role) || w.test.Exact {
		return nil
	}
	deadline := time.Now().Add(LastMessages)
	for _, f := range w.flows {
		for f.in.unreaped() > 0 {
			if _, err := w.reapRecvs(); err != nil {
				return err
			}
			if err := w.yieldUntil(deadline, "completions of receives"); err != nil {
				return err
			}
		}
		if err := f.in.restock(); err != nil {
			return err
		}
	}
	return nil
}

// yieldUntil yields the CPU, and fails if the deadline of a wait for completions has passed.
func (w *Worker) yieldUntil(deadline time.Time, what string) error {
	if w.halt.On() {
		return w.halt.Reason()
	}
	if time.Now().After(deadline) {
		return fmt.Errorf("mode %s, %d bytes: %s did not arrive within %v after the measurement", w.group.Mode, w.test.Size, what, LastMessages)
	}
	w.yield()
	return nil
}

// drainBatch is the largest number of outstanding empty messages. The send queue must also have room
// for the request whose completion ends the batch.
const drainBatch = 16

// UseUp sends n empty messages, which take receives of the peer, and waits until the send queue is
// empty.
func (f *Flow) UseUp(n uint64) error {
	if n > uint64(f.worker.set.Queues.Recvs) {
		return fmt.Errorf("the peer claims %d unused receives", n)
	}
	batch := uint64(min(drainBatch, f.worker.set.Queues.Sends-1))
	for {
		if err := f.flush(); err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		for range min(n, batch) {
			if err := f.postUnused(); err != nil {
				return err
			}
			n--
		}
	}
}

// postUnused posts an empty message. Over UD and SRD each is signaled.
func (f *Flow) postUnused() error {
	if !f.worker.set.Datagrams() {
		return f.postEmpty(verbs.OpSend, 0, 0)
	}
	f.in.credits.posted++
	return f.postEmpty(verbs.OpSend, verbs.SendSignaled, f.wrid(creditBit|f.in.credits.posted))
}

// AwaitUsedUp waits until all receives of the flow have completed or, over lossy transports, no message
// has arrived for drainQuiet.
func (f *Flow) AwaitUsedUp() error {
	w := f.worker
	for quiet := time.Now(); f.in.outstanding > 0; {
		n, err := w.reapRecvs()
		if err != nil {
			return err
		}
		if n > 0 {
			quiet = time.Now()
		}
		if w.test.Lossy && time.Since(quiet) > drainQuiet {
			return nil
		}
		if err := w.yieldUntil(quiet.Add(LastMessages), "empty messages"); err != nil {
			return err
		}
	}
	return nil
}

// drainQuiet is the time without a message after which empty messages count as lost.
const drainQuiet = 20 * time.Millisecond

// flush waits until all requests of the flow's send queue have completed. Where no empty WRITE may signal
// that, the last message is signaled.
func (f *Flow) flush() error {
	byWrite := f.worker.set.EmptyWrites()
	if byWrite {
		f.in.credits.posted++
		if err := f.postEmpty(lastOpcode(f.worker.group.Mode), verbs.SendSignaled, f.wrid(creditBit|f.in.credits.posted)); err != nil {
			return err
		}
	}
	deadline := time.Now().Add(LastMessages)
	for f.in.credits.done < f.in.credits.posted || !byWrite && f.out.done < f.out.marked {
		if _, err := f.worker.reapSends(); err != nil {
			return err
		}
		if err := f.worker.yieldUntil(deadline, "completions of sends"); err != nil {
			return err
		}
	}
	return nil
}

// LastMessages is the time within which messages must arrive after all of them have completed at the
// sender.
const LastMessages = 5 * time.Second

// Unused returns the number of posted receives that no message has taken.
func (f *Flow) Unused() uint64 { return f.in.unused() }

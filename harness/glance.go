package harness

import "github.com/ibperf/ibperf/verbs"

// receivePoller returns how completions of receives are looked for: who does nothing else
// spins a while, unless it is to sleep. At most so many are taken at a time.
func (w *worker) receivePoller(most *uint64) func() ([]verbs.WC, error) {
	max := spins
	if w.scheme.sleeps || w.duplex() {
		max = 1
	}
	return func() ([]verbs.WC, error) {
		n, err := w.recvCQ.PollSpin(w.recvWCs[:min(*most, uint64(len(w.recvWCs)))], max)
		if n <= 0 || err != nil {
			return nil, err
		}
		for i := range w.recvWCs[:n] {
			if c := &w.recvWCs[i]; c.Status != verbs.WCSuccess {
				return nil, w.failed(c)
			}
		}
		return w.recvWCs[:n], nil
	}
}

// glance is how many steps that found a message go without a look at the CQs where mode
// data looks at them too. Each step that found none looks.
const glance = 64

// glancing is a step that looks for data in memory, with a look at the CQs every so often:
// what it costs to see failures and lost peers.
func (w *worker) glancing(step func() (uint64, error)) func() (uint64, error) {
	found := 0
	return func() (uint64, error) {
		n, err := step()
		if err != nil {
			return 0, err
		}
		if n > 0 {
			if found++; found < glance {
				return n, nil
			}
		}
		found = 0
		if _, err := w.reapSends(); err != nil {
			return 0, err
		}
		_, err = w.reapRecvs()
		return n, err
	}
}

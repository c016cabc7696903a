package loop

import "github.com/ibperf/ibperf/verbs"

// receivePoller returns the function that polls the receive CQ, for at most *limit completions at a
// time, in up to w.spins polls.
func (w *Worker) receivePoller(limit *uint64) func() ([]verbs.WC, error) {
	return func() ([]verbs.WC, error) {
		n, err := w.recvCQ.PollSpin(w.recvWCs[:min(*limit, uint64(len(w.recvWCs)))], w.spins)
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

// cqCheckEvery is the number of polls of memory that find messages between two polls of the CQs in the
// variant look. A poll of memory that finds no message is always followed by one of the CQs.
const cqCheckEvery = 64

// withCQCheck returns a function that polls memory by a call of poll and, at intervals, the CQs. The
// difference between the variant look and mode data is the cost of noticing failures and lost peers.
func (w *Worker) withCQCheck(poll func() (uint64, error)) func() (uint64, error) {
	found := 0
	return func() (uint64, error) {
		n, err := poll()
		if err != nil {
			return 0, err
		}
		if n > 0 {
			if found++; found < cqCheckEvery {
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

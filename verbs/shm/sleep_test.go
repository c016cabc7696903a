package shm_test

import (
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestNoLostWakeUp: the loop that sleeps while another thread sends, often
// enough to meet the moments between a look and a sleep.
func TestNoLostWakeUp(t *testing.T) {
	const messages = 3000
	c := conf()
	c.channel, c.rnrRetry = true, 7
	a, b := pair(t, c)
	b.mustRecv(t, recv{}, recv{}, recv{}, recv{})
	noError(t, b.recvCQ.ReqNotify(false))
	sent := make(chan error, 1)
	go func() { sent <- a.sendOneByOne(messages) }()
	for got := 0; got < messages; {
		cq, err := b.ch.GetEvent(deadline)
		if err != nil {
			t.Fatalf("after %d of %d messages: %v", got, messages, err)
		}
		cq.AckEvents(1)
		noError(t, cq.ReqNotify(false))
		var wc [8]verbs.WC
		for n := -1; n != 0; got += n {
			n, err = cq.Poll(wc[:])
			noError(t, err)
			for range n {
				b.mustRecv(t, recv{})
			}
		}
	}
	noError(t, <-sent)
}

// sendOneByOne sends without the testing package, for goroutines.
func (s *side) sendOneByOne(n int) error {
	end := time.Now().Add(deadline)
	var wc [1]verbs.WC
	for range n {
		if _, err := s.post(send{op: verbs.OpSend, flags: verbs.SendSignaled}); err != nil {
			return err
		}
		for k := 0; k == 0; {
			var err error
			if k, err = s.sendCQ.Poll(wc[:]); err != nil {
				return err
			}
			if time.Now().After(end) {
				return verbs.ErrTimeout
			}
		}
		if wc[0].Status != verbs.WCSuccess {
			return &verbs.StatusError{Status: wc[0].Status}
		}
	}
	return nil
}

package shm_test

import (
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// TestNoLostWakeUp covers a receiver that sleeps while another thread sends, often enough to hit
// the moments between a poll and a sleep.
func TestNoLostWakeUp(t *testing.T) {
	const messages = 3000
	c := conf()
	c.Channel, c.RNRRetry = true, 7
	a, b := pair(t, c)
	b.PostRecv(recv{}, recv{}, recv{}, recv{})
	noError(t, b.RecvCQ.ReqNotify(false))
	sent := make(chan error, 1)
	go func() { sent <- a.sendAndPoll(messages) }()
	for got := 0; got < messages; {
		cq, err := b.Channel.GetEvent(fixture.WaitTimeout)
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
				b.PostRecv(recv{})
			}
		}
	}
	noError(t, <-sent)
}

// sendAndPoll sends n messages one by one. It can run in any goroutine.
func (s *side) sendAndPoll(n int) error {
	end := time.Now().Add(fixture.WaitTimeout)
	var wc [1]verbs.WC
	for range n {
		if _, err := s.TryPost(send{Op: verbs.OpSend, Flags: verbs.SendSignaled}); err != nil {
			return err
		}
		for k := 0; k == 0; {
			var err error
			if k, err = s.SendCQ.Poll(wc[:]); err != nil {
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

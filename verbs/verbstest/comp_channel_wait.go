package verbstest

import (
	"errors"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

func noLostWakeUp(e *env) {
	e.sub("from this process", func(e *env) {
		const messages = 300
		a, b := e.channelPair()
		b.RecvCQ.Arm(false)
		sent := make(chan error, 1)
		go func() { sent <- a.sendOneByOne(messages) }()
		b.consume(messages)
		e.ok(<-sent)
	})
	e.sub("from another one", producerElsewhere)
}

// consume receives messages, and sleeps for an event before each poll.
func (s *side) consume(messages int) {
	s.Helper()
	for got := 0; got < messages; {
		s.event(s.RecvCQ)
		s.RecvCQ.Arm(false)
		for n := -1; n != 0; {
			var err error
			n, err = s.RecvCQ.Poll(s.RecvCQ.WC[:8])
			s.ok(err)
			for range n {
				s.PostRecv(recv{})
				got++
			}
		}
	}
}

// sendOneByOne sends n messages and returns errors, for goroutines that may not end the test.
func (s *side) sendOneByOne(n int) error {
	wc := s.SendCQ.WC[:1]
	for range n {
		if _, err := s.TryPost(send{Op: opSend, Flags: signaled}); err != nil {
			return err
		}
		var err error
		if !fixture.Until(fixture.WaitTimeout, func() bool {
			var k int
			k, err = s.SendCQ.Poll(wc)
			return k == 1 || err != nil
		}) {
			return verbs.ErrTimeout
		}
		if err == nil && wc[0].Status != verbs.WCSuccess {
			err = &verbs.StatusError{Object: s.target.Device.Name(), Status: wc[0].Status}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func getEventTimeout(e *env) {
	_, b := e.channelPair()
	start := time.Now()
	_, err := b.Channel.GetEvent(fixture.Quiet)
	if took := time.Since(start); !errors.Is(err, verbs.ErrTimeout) || took < fixture.Quiet {
		e.Errorf("%v after %v", err, took)
	}
	if _, err := b.Channel.GetEvent(0); !errors.Is(err, verbs.ErrTimeout) {
		e.Errorf("without waiting: %v", err)
	}
}

func destroyWaitsForAck(e *env) {
	a, b := e.channelPair()
	b.RecvCQ.Arm(false)
	a.sends(1, 0)
	cq, err := b.Channel.GetEvent(fixture.WaitTimeout)
	e.ok(err)
	e.close(b.QP)
	e.closesAfterAck(cq)
}

// closesAfterAck destroys a CQ with one unacknowledged event.
func (e *env) closesAfterAck(cq verbs.CQ) {
	e.Helper()
	closed := make(chan error, 1)
	e.closed[cq] = true
	go func() { closed <- cq.Close() }()
	select {
	case err := <-closed:
		e.Fatalf("closed with an event not acknowledged: %v", err)
	case <-time.After(fixture.Quiet):
	}
	cq.AckEvents(1)
	select {
	case err := <-closed:
		e.ok(err)
	case <-time.After(fixture.WaitTimeout):
		e.Fatal("not closed after the acknowledgement")
	}
}

func unfetchedEvent(e *env) {
	a, b := e.channelPair()
	b.RecvCQ.Arm(false)
	a.sends(1, 0)
	if !b.readable(fixture.WaitTimeout) {
		e.Error("no event")
	}
	e.close(b.QP)
	e.close(b.RecvCQ.CQ)
	b.noEvent()
}

func ackTogether(e *env) {
	a, b := e.channelPair()
	for range 3 { // acknowledges two together, and then the last one
		b.RecvCQ.Arm(false)
		a.sends(1, 0)
		if _, err := b.Channel.GetEvent(fixture.WaitTimeout); err != nil {
			e.Error(err)
		}
	}
	b.RecvCQ.AckEvents(2)
	e.close(b.QP)
	e.closesAfterAck(b.RecvCQ.CQ)
}

func sharedChannel(e *env) {
	a, b := e.channelPair()
	b.SendCQ.Arm(false)
	b.Post(send{Flags: signaled}.Toward(a, 0))
	b.event(b.SendCQ)
	b.RecvCQ.Arm(false)
	a.sends(1, 0)
	b.event(b.RecvCQ)
	b.SendCQ.Arm(false)
	b.RecvCQ.Arm(false)
	b.Post(send{Flags: signaled}.Toward(a, 0))
	a.sends(1, 0)
	seen := map[verbs.CQ]int{}
	for range 2 {
		cq, err := b.Channel.GetEvent(fixture.WaitTimeout)
		e.ok(err)
		cq.AckEvents(1)
		seen[cq]++
	}
	if seen[b.SendCQ.CQ] != 1 || seen[b.RecvCQ.CQ] != 1 {
		e.Errorf("%d events of the one, %d of the other", seen[b.SendCQ.CQ], seen[b.RecvCQ.CQ])
	}
}

func eventTakesNothing(e *env) {
	a, b := e.channelPair()
	b.RecvCQ.Arm(false)
	a.sends(2, 0)
	b.event(b.RecvCQ)
	b.RecvCQ.Next(2)
	b.RecvCQ.ExpectEmpty()
}

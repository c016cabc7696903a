package verbstest

import (
	"errors"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

func noLostWakeUp(e *env) {
	e.sub("from this process", func(e *env) {
		const messages = 300
		a, b := e.channelPair()
		b.recvCQ.arm(false)
		sent := make(chan error, 1)
		go func() { sent <- a.sendOneByOne(messages) }()
		b.consume(messages)
		e.ok(<-sent)
	})
	e.sub("from another one", producerElsewhere)
}

// consume takes so many messages as they raise events.
func (s *side) consume(messages int) {
	s.Helper()
	for got := 0; got < messages; {
		s.event(s.recvCQ)
		s.recvCQ.arm(false)
		for n := -1; n != 0; {
			var err error
			n, err = s.recvCQ.Poll(s.recvCQ.wc[:8])
			s.ok(err)
			for range n {
				s.recv(recv{})
				got++
			}
		}
	}
}

// sendOneByOne sends without the testing package, for goroutines.
func (s *side) sendOneByOne(n int) error {
	wc := s.sendCQ.wc[:1]
	for range n {
		if _, err := s.tryPost(send{op: opSend, flags: signaled}); err != nil {
			return err
		}
		var err error
		if !until(patience, func() bool {
			var k int
			k, err = s.sendCQ.Poll(wc)
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
	_, err := b.ch.GetEvent(quiet)
	if took := time.Since(start); !errors.Is(err, verbs.ErrTimeout) || took < quiet {
		e.Errorf("%v after %v", err, took)
	}
	if _, err := b.ch.GetEvent(0); !errors.Is(err, verbs.ErrTimeout) {
		e.Errorf("without waiting: %v", err)
	}
}

func destroyWaitsForAck(e *env) {
	a, b := e.channelPair()
	b.recvCQ.arm(false)
	a.sends(1, 0)
	cq, err := b.ch.GetEvent(patience)
	e.ok(err)
	e.close(b.qp)
	e.closesAfterAck(cq)
}

// closesAfterAck destroys a CQ of which one event is not acknowledged.
func (e *env) closesAfterAck(cq verbs.CQ) {
	e.Helper()
	closed := make(chan error, 1)
	e.closed[cq] = true
	go func() { closed <- cq.Close() }()
	select {
	case err := <-closed:
		e.Fatalf("closed with an event not acknowledged: %v", err)
	case <-time.After(quiet):
	}
	cq.AckEvents(1)
	select {
	case err := <-closed:
		e.ok(err)
	case <-time.After(patience):
		e.Fatal("not closed after the acknowledgement")
	}
}

func unfetchedEvent(e *env) {
	a, b := e.channelPair()
	b.recvCQ.arm(false)
	a.sends(1, 0)
	if !b.readable(patience) {
		e.Error("no event")
	}
	e.close(b.qp)
	e.close(b.recvCQ.CQ)
	b.noEvent()
}

func ackTogether(e *env) {
	a, b := e.channelPair()
	for range 3 { // two together, and the last one
		b.recvCQ.arm(false)
		a.sends(1, 0)
		if _, err := b.ch.GetEvent(patience); err != nil {
			e.Error(err)
		}
	}
	b.recvCQ.AckEvents(2)
	e.close(b.qp)
	e.closesAfterAck(b.recvCQ.CQ)
}

func sharedChannel(e *env) {
	a, b := e.channelPair()
	b.sendCQ.arm(false)
	b.post(send{flags: signaled}.toward(a, 0))
	b.event(b.sendCQ)
	b.recvCQ.arm(false)
	a.sends(1, 0)
	b.event(b.recvCQ)
	b.sendCQ.arm(false)
	b.recvCQ.arm(false)
	b.post(send{flags: signaled}.toward(a, 0))
	a.sends(1, 0)
	seen := map[verbs.CQ]int{}
	for range 2 {
		cq, err := b.ch.GetEvent(patience)
		e.ok(err)
		cq.AckEvents(1)
		seen[cq]++
	}
	if seen[b.sendCQ.CQ] != 1 || seen[b.recvCQ.CQ] != 1 {
		e.Errorf("%d events of the one, %d of the other", seen[b.sendCQ.CQ], seen[b.recvCQ.CQ])
	}
}

func eventTakesNothing(e *env) {
	a, b := e.channelPair()
	b.recvCQ.arm(false)
	a.sends(2, 0)
	b.event(b.recvCQ)
	b.recvCQ.next(2)
	b.recvCQ.empty()
}

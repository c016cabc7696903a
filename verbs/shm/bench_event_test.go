package shm_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// newEventPair returns a pair that sends 8 bytes with an event for each message.
func newEventPair(b *testing.B) (s, peer *side) {
	b.Helper()
	c := conf()
	c.Channel = true
	return pair(b, c)
}

// arm posts a receive and arms the CQ.
func (s *side) arm(b *testing.B) {
	s.PostRecv(recv{SGEs: []verbs.SGE{s.SGE(0, 8)}})
	noError(b, s.RecvCQ.ReqNotify(false))
}

// sendMessage sends 8 bytes.
func (s *side) sendMessage(b *testing.B) {
	s.Post(send{Op: verbs.OpSend, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{s.SGE(0, 8)}})
	s.SendCQ.Expect(0, verbs.WCSuccess)
}

// awaitMessage waits for the event of a message.
func (s *side) awaitMessage(b *testing.B) {
	for {
		cq, err := s.Channel.GetEventRaw(verbs.LongestRawWait)
		if errors.Is(err, verbs.ErrTimeout) {
			continue
		}
		noError(b, err)
		cq.AckEvents(1)
		s.RecvCQ.Expect(0, verbs.WCSuccess)
		return
	}
}

// BenchmarkEvent sends 8 bytes with an event for which no thread sleeps: the cost of events without
// the wake-up.
func BenchmarkEvent(b *testing.B) {
	s, peer := newEventPair(b)
	for b.Loop() {
		peer.arm(b)
		s.sendMessage(b)
		peer.awaitMessage(b)
	}
}

// BenchmarkWakeUp sends 8 bytes back and forth between two threads that sleep for events.
func BenchmarkWakeUp(b *testing.B) {
	s, peer := newEventPair(b)
	s.arm(b)
	peer.arm(b)
	ended := make(chan struct{})
	n := b.N
	go func() {
		runtime.LockOSThread()
		defer close(ended)
		for range n {
			peer.awaitMessage(b)
			peer.arm(b)
			peer.sendMessage(b)
		}
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b.ResetTimer()
	for range n {
		s.sendMessage(b)
		s.awaitMessage(b)
		s.arm(b)
	}
	<-ended
}

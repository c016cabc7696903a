package shm_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// newSleepers is a pair that sends 8 bytes with an event for each message.
func newSleepers(b *testing.B) (s, peer *side) {
	b.Helper()
	c := conf()
	c.channel = true
	return pair(b, c)
}

// armed posts a receive and arms the CQ for it.
func (s *side) armed(b *testing.B) {
	s.mustRecv(b, recv{sges: []verbs.SGE{s.sge(0, 8)}})
	noError(b, s.recvCQ.ReqNotify(false))
}

// message sends 8 bytes.
func (s *side) message(b *testing.B) {
	s.mustPost(b, send{op: verbs.OpSend, flags: verbs.SendSignaled, sges: []verbs.SGE{s.sge(0, 8)}})
	pollOne(b, s.sendCQ, 0, verbs.WCSuccess)
}

// woken waits for the event of a message.
func (s *side) woken(b *testing.B) {
	for {
		cq, err := s.ch.GetEventRaw(verbs.LongestRawWait)
		if errors.Is(err, verbs.ErrTimeout) {
			continue
		}
		noError(b, err)
		cq.AckEvents(1)
		pollOne(b, s.recvCQ, 0, verbs.WCSuccess)
		return
	}
}

// BenchmarkEvent sends 8 bytes with an event that nobody sleeps for: what events cost
// besides the wake-up.
func BenchmarkEvent(b *testing.B) {
	s, peer := newSleepers(b)
	for b.Loop() {
		peer.armed(b)
		s.message(b)
		peer.woken(b)
	}
}

// BenchmarkWakeUp sends 8 bytes there and back between two threads that sleep for events.
func BenchmarkWakeUp(b *testing.B) {
	s, peer := newSleepers(b)
	s.armed(b)
	peer.armed(b)
	ended := make(chan struct{})
	n := b.N
	go func() {
		runtime.LockOSThread()
		defer close(ended)
		for range n {
			peer.woken(b)
			peer.armed(b)
			peer.message(b)
		}
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b.ResetTimer()
	for range n {
		s.message(b)
		s.woken(b)
		s.armed(b)
	}
	<-ended
}

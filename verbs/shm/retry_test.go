package shm_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestStaleConnection: a connection has a life, and a peer in another one does
// not answer, whatever the numbers say.
func TestStaleConnection(t *testing.T) {
	cases := map[string]func(t *testing.T, a, b *side){
		"connected anew":   func(t *testing.T, a, b *side) { a.warmUp(t, b); b.reconnect(t, a) },
		"requester anew":   func(t *testing.T, a, b *side) { a.warmUp(t, b); a.reconnect(t, b) },
		"peer of another":  func(t *testing.T, a, b *side) { c := newSide(t, conf()); b.reconnect(t, c) },
		"of its neighbour": func(t *testing.T, a, b *side) { c := newSideOn(t, a.ctx, conf()); b.reconnect(t, c) },
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, conf())
			change(t, a, b)
			a.mustPost(t, send{id: 1}.toward(b, 0))
			pollOne(t, a.sendCQ, 1, verbs.WCRetryExcErr)
			a.wantState(t, verbs.QPErr)
		})
	}
}

// reconnect takes the side's QP through RESET to RTS again, alone.
func (s *side) reconnect(t *testing.T, peer *side) {
	t.Helper()
	for _, state := range []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS} {
		s.to(t, state, peer)
	}
}

// warmUp uses the connection once.
func (s *side) warmUp(t *testing.T, peer *side) {
	t.Helper()
	s.mustPost(t, send{flags: verbs.SendSignaled}.toward(peer, 0))
	pollOne(t, s.sendCQ, 0, verbs.WCSuccess)
}

// TestPeerComesLate: with timeout 0 the request waits until the peer answers.
func TestPeerComesLate(t *testing.T) {
	c := conf()
	c.timeout, c.retry = 0, 0
	a, b := newSide(t, c), newSide(t, c)
	b.to(t, verbs.QPInit, a)
	for _, s := range []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS} {
		a.to(t, s, b)
	}
	a.mustPost(t, send{id: 1, flags: verbs.SendSignaled}.toward(b, 0))
	for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); runtime.Gosched() {
		pollNone(t, a.sendCQ)
	}
	b.to(t, verbs.QPRTR, a)
	pollOne(t, a.sendCQ, 1, verbs.WCSuccess)
}

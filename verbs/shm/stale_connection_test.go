package shm_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestStaleConnectionGetsNoResponse covers that a QP does not respond to the requester of an
// earlier connection, even with the right numbers.
func TestStaleConnectionGetsNoResponse(t *testing.T) {
	cases := map[string]func(t *testing.T, a, b *side){
		"reconnected":       func(t *testing.T, a, b *side) { a.useOnce(t, b); b.reconnect(t, a) },
		"requester reset":   func(t *testing.T, a, b *side) { a.useOnce(t, b); a.reconnect(t, b) },
		"peer of another":   func(t *testing.T, a, b *side) { c := newSide(t, conf()); b.reconnect(t, c) },
		"peer of neighbour": func(t *testing.T, a, b *side) { c := newSideOn(t, a.Ctx, conf()); b.reconnect(t, c) },
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, conf())
			change(t, a, b)
			a.Post(send{ID: 1}.Toward(b, 0))
			a.SendCQ.Expect(1, verbs.WCRetryExcErr)
			a.IsIn(verbs.QPErr)
		})
	}
}

// reconnect takes only this side's QP through RESET to RTS.
func (s *side) reconnect(t *testing.T, peer *side) {
	t.Helper()
	for _, state := range []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS} {
		s.To(state, peer)
	}
}

// useOnce uses the connection once.
func (s *side) useOnce(t *testing.T, peer *side) {
	t.Helper()
	s.Post(send{Flags: verbs.SendSignaled}.Toward(peer, 0))
	s.SendCQ.Expect(0, verbs.WCSuccess)
}

// TestTimeoutZeroWaitsForPeer covers that with timeout 0 a request waits until the peer responds.
func TestTimeoutZeroWaitsForPeer(t *testing.T) {
	c := conf()
	c.Timeout, c.RetryCnt = 0, 0
	a, b := newSide(t, c), newSide(t, c)
	b.To(verbs.QPInit, a)
	for _, s := range []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS} {
		a.To(s, b)
	}
	a.Post(send{ID: 1, Flags: verbs.SendSignaled}.Toward(b, 0))
	for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); runtime.Gosched() {
		a.SendCQ.ExpectEmpty()
	}
	b.To(verbs.QPRTR, a)
	a.SendCQ.Expect(1, verbs.WCSuccess)
}

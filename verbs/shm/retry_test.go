package shm_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestNoReceive covers ERR-13: the responder is unharmed.
func TestNoReceive(t *testing.T) {
	for _, op := range []verbs.Opcode{verbs.OpSend, verbs.OpSendWithImm, verbs.OpRDMAWriteWithImm} {
		for _, retries := range []uint8{0, 1, 3} {
			t.Run("ERR-13/"+op.String(), func(t *testing.T) {
				c := conf()
				c.rnrRetry, c.rnrTimer = retries, 14
				a, b := pair(t, c)
				fill(a.mem, 1)
				start := time.Now()
				a.mustPost(t, send{id: 1, op: op, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0), send{id: 2}.toward(b, 0))
				pollOne(t, a.sendCQ, 1, verbs.WCRNRRetryExcErr)
				if took, least := time.Since(start), time.Duration(retries)*1280*time.Microsecond; took < least {
					t.Errorf("ERR-21: gave up after %v, before %v", took, least)
				}
				pollOne(t, a.sendCQ, 2, verbs.WCWRFlushErr)
				a.wantState(t, verbs.QPErr)
				b.wantState(t, verbs.QPRTS)
				pollNone(t, b.recvCQ)
				if anyByte(b.mem[:8]) {
					t.Error("data came without a receive")
				}
			})
		}
	}
}

// TestReceivePostedInTime: the retry finds it.
func TestReceivePostedInTime(t *testing.T) {
	c := conf()
	c.rnrRetry, c.rnrTimer = 6, 20
	a, b := pair(t, c)
	a.mustPost(t, send{id: 1, op: verbs.OpSend, flags: verbs.SendSignaled})
	staysQuiet(t, a.sendCQ)
	b.mustRecv(t, recv{id: 2})
	pollOne(t, a.sendCQ, 1, verbs.WCSuccess)
	pollOne(t, b.recvCQ, 2, verbs.WCSuccess)
}

// TestSilentPeer covers ERR-14, QPS-15, QPS-34 and QPS-35.
func TestSilentPeer(t *testing.T) {
	cases := map[string]func(t *testing.T, a, b *side){
		"QPS-15 in RESET":         func(t *testing.T, a, b *side) { b.to(t, verbs.QPReset, a) },
		"QPS-15 in ERR":           func(t *testing.T, a, b *side) { b.to(t, verbs.QPErr, a) },
		"QPS-15 in INIT":          func(t *testing.T, a, b *side) { b.to(t, verbs.QPReset, a); b.to(t, verbs.QPInit, a) },
		"QPS-35 destroyed":        func(t *testing.T, a, b *side) { noError(t, b.qp.Close()) },
		"ERR-14 device closed":    func(t *testing.T, a, b *side) { noError(t, b.ctx.Close()) },
		"ERR-14 connected anew":   func(t *testing.T, a, b *side) { a.warmUp(t, b); b.reconnect(t, a) },
		"ERR-14 requester anew":   func(t *testing.T, a, b *side) { a.warmUp(t, b); a.reconnect(t, b) },
		"QPS-34 PSN mismatch":     func(t *testing.T, a, b *side) { a.conf.psn = 9; a.reconnect(t, b) },
		"ERR-14 wrong dest_qp":    wrongDestination,
		"ERR-14 peer of another":  func(t *testing.T, a, b *side) { c := newSide(t, conf()); b.reconnect(t, c) },
		"QPS-35 destroyed in use": func(t *testing.T, a, b *side) { a.warmUp(t, b); noError(t, b.qp.Close()) },
	}
	for name, silence := range cases {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, conf())
			silence(t, a, b)
			start := time.Now()
			a.mustPost(t, send{id: 1}.toward(b, 0), send{id: 2, op: verbs.OpSend})
			pollOne(t, a.sendCQ, 1, verbs.WCRetryExcErr)
			if took, least := time.Since(start), 2*time.Millisecond; took < least {
				t.Errorf("gave up after %v, before %v", took, least)
			}
			pollOne(t, a.sendCQ, 2, verbs.WCWRFlushErr)
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

func wrongDestination(t *testing.T, a, b *side) {
	right := b.qp
	b.newQP(t) // in RESET, and not connected to a
	a.reconnect(t, b)
	b.qp = right
}

// TestTimeoutForEver covers ERR-20: the request waits until the peer answers.
func TestTimeoutForEver(t *testing.T) {
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

// TestUnsignaledAroundAFailure covers ERR-15.
func TestUnsignaledAroundAFailure(t *testing.T) {
	a, b := pair(t, conf())
	w := send{sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
	list := []send{w, w, w, w}
	for i := range list {
		list[i].id = uint64(i)
	}
	list[1].rkey++
	a.mustPost(t, list...)
	pollOne(t, a.sendCQ, 1, verbs.WCRemAccessErr)
	pollOne(t, a.sendCQ, 2, verbs.WCWRFlushErr)
	pollOne(t, a.sendCQ, 3, verbs.WCWRFlushErr)
	pollNone(t, a.sendCQ)
}

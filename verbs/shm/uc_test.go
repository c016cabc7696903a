package shm_test

import (
	"bytes"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

func ucConf() config {
	c := conf()
	c.typ = verbs.QPTypeUC
	return c
}

// TestShortReceiveOfUC: a message that does not fit is lost, and the receive
// stays for the next one. A receive whose memory is wrong is the receiver's own
// failure.
func TestShortReceiveOfUC(t *testing.T) {
	a, b := pair(t, ucConf())
	fill(a.mem[:100], 1)
	b.mustRecv(t, recv{id: 1, sges: []verbs.SGE{b.sge(0, 50)}})
	a.mustPost(t,
		send{id: 2, op: verbs.OpSend, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, 51)}},
		send{id: 3, op: verbs.OpSend, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(50, 50)}},
	)
	pollOne(t, a.sendCQ, 2, verbs.WCSuccess)
	pollOne(t, a.sendCQ, 3, verbs.WCSuccess)
	if wc := pollOne(t, b.recvCQ, 1, verbs.WCSuccess); wc.ByteLen != 50 || !bytes.Equal(b.mem[:50], a.mem[50:100]) {
		t.Errorf("%d bytes came, or others", wc.ByteLen)
	}
	bad := b.sge(0, 50)
	bad.LKey ^= 0x100
	b.mustRecv(t, recv{id: 4, sges: []verbs.SGE{bad}})
	a.mustPost(t, send{id: 5, op: verbs.OpSend, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, 50)}})
	pollOne(t, a.sendCQ, 5, verbs.WCSuccess)
	pollOne(t, b.recvCQ, 4, verbs.WCLocProtErr)
	b.wantState(t, verbs.QPErr)
	a.wantState(t, verbs.QPRTS)
}

// TestUCGoesOn: a requester of UC that was reset goes on where it was, however
// many messages the peer has received.
func TestUCGoesOn(t *testing.T) {
	a, b := pair(t, ucConf())
	for round := range 3 {
		for i := range 100 {
			id := uint64(1000*round + i)
			b.mustRecv(t, recv{id: id})
			a.mustPost(t, send{id: id, op: verbs.OpSend, flags: verbs.SendSignaled})
			pollOne(t, a.sendCQ, id, verbs.WCSuccess)
			pollOne(t, b.recvCQ, id, verbs.WCSuccess)
		}
		for _, state := range []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS} {
			a.to(t, state, b)
		}
	}
}

// TestTypesDoNotMix: a QP answers only those of its own type.
func TestTypesDoNotMix(t *testing.T) {
	a, b := newSide(t, conf()), newSide(t, ucConf())
	connect(t, a, b)
	b.mustRecv(t, recv{id: 1})
	a.mustRecv(t, recv{id: 2})
	a.mustPost(t, send{id: 3, op: verbs.OpSend})
	b.mustPost(t, send{id: 4, op: verbs.OpSend, flags: verbs.SendSignaled})
	pollOne(t, a.sendCQ, 3, verbs.WCRetryExcErr)
	pollOne(t, b.sendCQ, 4, verbs.WCSuccess)
	pollNone(t, b.recvCQ)
	pollOne(t, a.recvCQ, 2, verbs.WCWRFlushErr)
}

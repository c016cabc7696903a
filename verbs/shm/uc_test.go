package shm_test

import (
	"bytes"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

func ucConf() config {
	c := conf()
	c.Type = verbs.QPTypeUC
	return c
}

// TestUCMessageLongerThanReceive covers that a message that does not fit is lost and leaves the
// receive to the next message. A receive with invalid memory fails the receiver's QP.
func TestUCMessageLongerThanReceive(t *testing.T) {
	a, b := pair(t, ucConf())
	fixture.Fill(a.Mem[:100], 1)
	b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{b.SGE(0, 50)}})
	a.Post(send{ID: 2, Op: verbs.OpSend, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, 51)}},
		send{ID: 3, Op: verbs.OpSend, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(50, 50)}},
	)
	a.SendCQ.Expect(2, verbs.WCSuccess)
	a.SendCQ.Expect(3, verbs.WCSuccess)
	if wc := b.RecvCQ.Expect(1, verbs.WCSuccess); wc.ByteLen != 50 || !bytes.Equal(b.Mem[:50], a.Mem[50:100]) {
		t.Errorf("%d bytes arrived, or they were corrupted", wc.ByteLen)
	}
	bad := b.SGE(0, 50)
	bad.LKey ^= 0x100
	b.PostRecv(recv{ID: 4, SGEs: []verbs.SGE{bad}})
	a.Post(send{ID: 5, Op: verbs.OpSend, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, 50)}})
	a.SendCQ.Expect(5, verbs.WCSuccess)
	b.RecvCQ.Expect(4, verbs.WCLocProtErr)
	b.IsIn(verbs.QPErr)
	a.IsIn(verbs.QPRTS)
}

// TestUCContinuesAfterReset covers that a UC requester continues at the next message after its
// RESET, for any number of messages.
func TestUCContinuesAfterReset(t *testing.T) {
	a, b := pair(t, ucConf())
	for round := range 3 {
		for i := range 100 {
			id := uint64(1000*round + i)
			b.PostRecv(recv{ID: id})
			a.Post(send{ID: id, Op: verbs.OpSend, Flags: verbs.SendSignaled})
			a.SendCQ.Expect(id, verbs.WCSuccess)
			b.RecvCQ.Expect(id, verbs.WCSuccess)
		}
		for _, state := range []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS} {
			a.To(state, b)
		}
	}
}

// TestQPTypesDoNotMix covers that a QP responds only to QPs of its type.
func TestQPTypesDoNotMix(t *testing.T) {
	a, b := newSide(t, conf()), newSide(t, ucConf())
	fixture.Connect(a, b)
	b.PostRecv(recv{ID: 1})
	a.PostRecv(recv{ID: 2})
	a.Post(send{ID: 3, Op: verbs.OpSend})
	b.Post(send{ID: 4, Op: verbs.OpSend, Flags: verbs.SendSignaled})
	a.SendCQ.Expect(3, verbs.WCRetryExcErr)
	b.SendCQ.Expect(4, verbs.WCSuccess)
	b.RecvCQ.ExpectEmpty()
	a.RecvCQ.Expect(2, verbs.WCWRFlushErr)
}

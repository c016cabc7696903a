package shm_test

import (
	"bytes"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// TestFastPathSeesStateChanges covers that a change of either QP affects the next request.
func TestFastPathSeesStateChanges(t *testing.T) {
	cases := map[string]struct {
		change func(t *testing.T, a, b *side)
		op     verbs.Opcode
		want   verbs.WCStatus
	}{
		"own ERR":        {func(t *testing.T, a, b *side) { a.To(verbs.QPErr, b) }, verbs.OpRDMAWrite, verbs.WCWRFlushErr},
		"peer's ERR":     {func(t *testing.T, a, b *side) { b.To(verbs.QPErr, a) }, verbs.OpRDMAWrite, verbs.WCRetryExcErr},
		"peer's RESET":   {func(t *testing.T, a, b *side) { b.To(verbs.QPReset, a) }, verbs.OpRDMAWrite, verbs.WCRetryExcErr},
		"peer destroyed": {func(t *testing.T, a, b *side) { noError(t, b.QP.Close()) }, verbs.OpSend, verbs.WCRetryExcErr},
		"peer reconnected": {func(t *testing.T, a, b *side) {
			b.reconnect(t, a)
		}, verbs.OpRDMAWrite, verbs.WCRetryExcErr},
		"no WRITE": {func(t *testing.T, a, b *side) { b.setQPAccess(t, verbs.AccessRemoteRead) }, verbs.OpRDMAWrite, verbs.WCRemInvReqErr},
		"no READ":  {func(t *testing.T, a, b *side) { b.setQPAccess(t, verbs.AccessRemoteWrite) }, verbs.OpRDMARead, verbs.WCRemInvReqErr},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a, b := usedPair(t, conf())
			b.PostRecv(recv{})
			c.change(t, a, b)
			a.Post(a.request64(c.op, b))
			a.SendCQ.Expect(1, c.want)
		})
	}
}

// setQPAccess sets the access flags of the side's QP.
func (s *side) setQPAccess(t *testing.T, access verbs.Access) {
	t.Helper()
	a := &verbs.QPAttr{State: verbs.QPRTS, AccessFlags: access}
	noError(t, s.QP.Modify(a, verbs.MaskState|verbs.MaskAccessFlags))
}

// TestFastPathStopsInSQD covers that a QP in SQD sends nothing, and continues in RTS without
// polling.
func TestFastPathStopsInSQD(t *testing.T) {
	a, b := usedPair(t, conf())
	a.To(verbs.QPSQD, b)
	clear(b.Mem)
	fixture.Fill(a.Mem[:64], 1)
	a.Post(a.request64(verbs.OpRDMAWrite, b))
	for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); runtime.Gosched() {
		a.SendCQ.ExpectEmpty()
		if !bytes.Equal(b.Mem[:64], make([]byte, 64)) {
			t.Fatal("a WRITE of a QP in SQD arrived")
		}
	}
	noError(t, a.QP.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
	fixture.Eventually(t, "the WRITE arrived", func() bool { return bytes.Equal(b.Mem[:64], a.Mem[:64]) })
	a.SendCQ.Expect(1, verbs.WCSuccess)
}

// TestFastPathKeepsOrderBehindWaitingRequest covers that requests behind a waiting one wait too.
func TestFastPathKeepsOrderBehindWaitingRequest(t *testing.T) {
	c := conf()
	c.RNRRetry = 7
	a, b := usedPair(t, c)
	for range 3 {
		clear(b.Mem)
		fixture.Fill(a.Mem[:64], 1)
		message, write := a.request64(verbs.OpSend, b), a.request64(verbs.OpRDMAWrite, b)
		message.ID = 0
		a.Post(message)
		for range 5 {
			a.Post(write)
		}
		a.SendCQ.ExpectEmpty()
		if !bytes.Equal(b.Mem[:64], make([]byte, 64)) {
			t.Fatal("a WRITE overtook the SEND that was posted before")
		}
		b.PostRecv(recv{SGEs: []verbs.SGE{b.SGE(64, 64)}})
		a.SendCQ.Expect(0, verbs.WCSuccess)
		for range 5 {
			a.SendCQ.Expect(1, verbs.WCSuccess)
		}
		b.RecvCQ.Expect(0, verbs.WCSuccess)
		if !bytes.Equal(b.Mem[:64], a.Mem[:64]) {
			t.Error("the WRITE's data was corrupted")
		}
	}
}

// TestFastPathCompletions covers that exactly the requested completions are made.
func TestFastPathCompletions(t *testing.T) {
	for name, all := range map[string]bool{"signaled": false, "sq_sig_all": true} {
		t.Run(name, func(t *testing.T) {
			c := conf()
			c.SigAll = all
			a, b := usedPair(t, c)
			for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend} {
				for range 3 {
					b.PostRecv(recv{SGEs: []verbs.SGE{b.SGE(0, 64)}})
				}
				list := []send{a.request64(op, b), a.request64(verbs.OpRDMAWriteWithImm, b), a.request64(op, b)}
				for i := range list {
					list[i].ID = uint64(i)
				}
				list[0].Flags, list[2].Flags = 0, 0
				a.Post(list...)
				if all {
					a.SendCQ.Expect(0, verbs.WCSuccess)
				}
				a.SendCQ.Expect(1, verbs.WCSuccess)
				if all {
					a.SendCQ.Expect(2, verbs.WCSuccess)
				}
				a.SendCQ.ExpectEmpty()
			}
		})
	}
}

// TestFastPathSolicitedEvents covers that a solicited message raises an event where others do not.
func TestFastPathSolicitedEvents(t *testing.T) {
	c := conf()
	c.Channel = true
	a, b := usedPair(t, c)
	for _, op := range []verbs.Opcode{verbs.OpSend, verbs.OpRDMAWriteWithImm} {
		noError(t, b.RecvCQ.ReqNotify(true))
		b.PostRecv(recv{SGEs: []verbs.SGE{b.SGE(0, 64)}}, recv{SGEs: []verbs.SGE{b.SGE(0, 64)}})
		w := a.request64(op, b)
		a.Post(w)
		if cq, err := b.Channel.GetEvent(0); err == nil {
			cq.AckEvents(1)
			t.Errorf("an unsolicited %s raised an event", op)
		} else if !errors.Is(err, verbs.ErrTimeout) {
			t.Fatal(err)
		}
		w.Flags |= verbs.SendSolicited
		a.Post(w)
		must(b.Channel.GetEvent(time.Second))(t).AckEvents(1)
		a.SendCQ.Next(2)
		b.RecvCQ.Next(2)
	}
}

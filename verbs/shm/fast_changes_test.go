package shm_test

import (
	"bytes"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestWarmChanges: a change of either QP counts from the next request on.
func TestWarmChanges(t *testing.T) {
	cases := map[string]struct {
		change func(t *testing.T, a, b *side)
		op     verbs.Opcode
		want   verbs.WCStatus
	}{
		"own ERR":        {func(t *testing.T, a, b *side) { a.to(t, verbs.QPErr, b) }, verbs.OpRDMAWrite, verbs.WCWRFlushErr},
		"peer's ERR":     {func(t *testing.T, a, b *side) { b.to(t, verbs.QPErr, a) }, verbs.OpRDMAWrite, verbs.WCRetryExcErr},
		"peer's RESET":   {func(t *testing.T, a, b *side) { b.to(t, verbs.QPReset, a) }, verbs.OpRDMAWrite, verbs.WCRetryExcErr},
		"peer destroyed": {func(t *testing.T, a, b *side) { noError(t, b.qp.Close()) }, verbs.OpSend, verbs.WCRetryExcErr},
		"peer connected anew": {func(t *testing.T, a, b *side) {
			b.reconnect(t, a)
		}, verbs.OpRDMAWrite, verbs.WCRetryExcErr},
		"no WRITE": {func(t *testing.T, a, b *side) { b.allow(t, verbs.AccessRemoteRead) }, verbs.OpRDMAWrite, verbs.WCRemInvReqErr},
		"no READ":  {func(t *testing.T, a, b *side) { b.allow(t, verbs.AccessRemoteWrite) }, verbs.OpRDMARead, verbs.WCRemInvReqErr},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a, b := warmPair(t, conf())
			b.mustRecv(t, recv{})
			c.change(t, a, b)
			a.mustPost(t, a.small(c.op, b))
			pollOne(t, a.sendCQ, 1, c.want)
		})
	}
}

// allow sets the operations that the side's QP lets in.
func (s *side) allow(t *testing.T, access verbs.Access) {
	t.Helper()
	a := &verbs.QPAttr{State: verbs.QPRTS, AccessFlags: access}
	noError(t, s.qp.Modify(a, verbs.MaskState|verbs.MaskAccessFlags))
}

// TestWarmSQD: nothing leaves a QP in SQD, and it does when the QP is back in RTS,
// although nobody polls.
func TestWarmSQD(t *testing.T) {
	a, b := warmPair(t, conf())
	a.to(t, verbs.QPSQD, b)
	clear(b.mem)
	fill(a.mem[:64], 1)
	a.mustPost(t, a.small(verbs.OpRDMAWrite, b))
	for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); runtime.Gosched() {
		pollNone(t, a.sendCQ)
		if !bytes.Equal(b.mem[:64], make([]byte, 64)) {
			t.Fatal("a WRITE of a QP in SQD arrived")
		}
	}
	noError(t, a.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
	eventually(t, "the WRITE arrived as posted", func() bool { return bytes.Equal(b.mem[:64], a.mem[:64]) })
	pollOne(t, a.sendCQ, 1, verbs.WCSuccess)
}

// TestWarmOrder: what is posted behind a request that waits waits too.
func TestWarmOrder(t *testing.T) {
	c := conf()
	c.rnrRetry = 7
	a, b := warmPair(t, c)
	for range 3 {
		clear(b.mem)
		fill(a.mem[:64], 1)
		message, write := a.small(verbs.OpSend, b), a.small(verbs.OpRDMAWrite, b)
		message.id = 0
		a.mustPost(t, message)
		for range 5 {
			a.mustPost(t, write)
		}
		pollNone(t, a.sendCQ)
		if !bytes.Equal(b.mem[:64], make([]byte, 64)) {
			t.Fatal("a WRITE overtook the SEND that was posted before")
		}
		b.mustRecv(t, recv{sges: []verbs.SGE{b.sge(64, 64)}})
		pollOne(t, a.sendCQ, 0, verbs.WCSuccess)
		for range 5 {
			pollOne(t, a.sendCQ, 1, verbs.WCSuccess)
		}
		pollOne(t, b.recvCQ, 0, verbs.WCSuccess)
		if !bytes.Equal(b.mem[:64], a.mem[:64]) {
			t.Error("the WRITE did not arrive as posted")
		}
	}
}

// TestWarmCompletions: those that were asked for come, and no other.
func TestWarmCompletions(t *testing.T) {
	for name, all := range map[string]bool{"signaled": false, "sq_sig_all": true} {
		t.Run(name, func(t *testing.T) {
			c := conf()
			c.sigAll = all
			a, b := warmPair(t, c)
			for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend} {
				for range 3 {
					b.mustRecv(t, recv{sges: []verbs.SGE{b.sge(0, 64)}})
				}
				list := []send{a.small(op, b), a.small(verbs.OpRDMAWriteWithImm, b), a.small(op, b)}
				for i := range list {
					list[i].id = uint64(i)
				}
				list[0].flags, list[2].flags = 0, 0
				a.mustPost(t, list...)
				if all {
					pollOne(t, a.sendCQ, 0, verbs.WCSuccess)
				}
				pollOne(t, a.sendCQ, 1, verbs.WCSuccess)
				if all {
					pollOne(t, a.sendCQ, 2, verbs.WCSuccess)
				}
				pollNone(t, a.sendCQ)
			}
		})
	}
}

// TestWarmEvents: a message that is solicited raises the event that others do not.
func TestWarmEvents(t *testing.T) {
	c := conf()
	c.channel = true
	a, b := warmPair(t, c)
	for _, op := range []verbs.Opcode{verbs.OpSend, verbs.OpRDMAWriteWithImm} {
		noError(t, b.recvCQ.ReqNotify(true))
		b.mustRecv(t, recv{sges: []verbs.SGE{b.sge(0, 64)}}, recv{sges: []verbs.SGE{b.sge(0, 64)}})
		w := a.small(op, b)
		a.mustPost(t, w)
		if cq, err := b.ch.GetEvent(0); err == nil {
			cq.AckEvents(1)
			t.Errorf("%s that is not solicited raised an event", op)
		} else if !errors.Is(err, verbs.ErrTimeout) {
			t.Fatal(err)
		}
		w.flags |= verbs.SendSolicited
		a.mustPost(t, w)
		must(b.ch.GetEvent(time.Second))(t).AckEvents(1)
		poll(t, a.sendCQ, 2)
		poll(t, b.recvCQ, 2)
	}
}

package verbstest

import (
	"bytes"
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// SRD of EFA: each message arrives once, in any order, or its request fails.
var srdStatements = []statement{
	{"SRD-1", "a QP goes to RTS with P_Key, port, Q_Key and PSN, and not without one of them", srdMovesUp},
	{"SRD-2", "a SEND reaches the QP that it names, with its length, its sender and immediate data", srdSends},
	{"SRD-3", "WRITE and READ, where the device has them, reach the remote address", srdReaches},
	{"SRD-4", "create_qp with an operation that SRD or the device lacks is refused", srdOperations},
	{"SRD-5", "a request without a completion is refused", srdUnsignaled},
	{"SRD-6", "a send posted below RTS is refused", srdTooEarly},
	{"SRD-7", "every message arrives once and every request completes once, in any order", srdOnce},
	{"SRD-8", "rnr_retry 7 waits for a receive, 0 is RNR_RETRY_EXC_ERR", srdWithoutReceive},
	{"SRD-9", "a SEND to a QP that is not there does not succeed", srdNobody},
	{"SRD-10", "a WRITE or READ with a wrong remote key does not succeed and moves nothing", srdWrongKey},
	{"SRD-11", "a message longer than the port allows does not arrive, not even in part", srdTooLong},
	{"SRD-12", "a message longer than its receive does not succeed", srdShortReceive},
	{"SRD-13", "a QP sends to several QPs, and receives from several", srdManyPeers},
	{"SRD-14", "a QP takes no SRQ", srdOnSRQ},
}

func srdMovesUp(e *env) {
	e.sub("moves", func(e *env) { movesUpOf(e, srdConf()) })
	e.sub("without an attribute", func(e *env) { missingOf(e, srdConf()) })
}

func srdSends(e *env) {
	l := e.srdPair()
	fixture.Fill(l.a.Mem[:100], 1)
	l.b.PostRecv(recv{ID: 5, SGEs: []verbs.SGE{l.b.SGE(0, 200)}})
	l.a.Post(l.send(opSendImm, 7, 100))
	l.a.SendCQ.Expect(7, verbs.WCSuccess)
	wc := l.b.RecvCQ.Expect(5, verbs.WCSuccess)
	if wc.ByteLen != 100 || wc.SrcQP != l.a.QP.QPNum() || wc.Flags&verbs.WCWithImm == 0 || wc.Imm != imm {
		e.Errorf("%+v, the sender is %#x", wc, l.a.QP.QPNum())
	}
	if !bytes.Equal(l.b.Mem[:100], l.a.Mem[:100]) || touched(l.b.Mem[100:200]) {
		e.Error("the message did not arrive as sent")
	}
}

func srdReaches(e *env) {
	for _, op := range []verbs.Opcode{opWrite, opRead} {
		e.sub(op.String(), func(e *env) {
			l := e.srdPairFor(op)
			from, to := l.a.Mem[:1000], l.remote[50:1050]
			if op == opRead {
				from, to = to, from
			}
			fixture.Fill(from, 3)
			l.a.Post(l.access(op, 7, 1000, 50))
			l.a.SendCQ.Expect(7, verbs.WCSuccess)
			if !bytes.Equal(from, to) || touched(l.remote[1050:]) {
				e.Error("the data did not arrive as it was")
			}
		})
	}
}

func srdOperations(e *env) {
	s := e.side(srdConf())
	e.refused("create_qp for atomic operations", s.createSRD(verbs.SendOpAtomicFetchAndAdd), verbs.ErrNotSupported)
	e.ok(s.createSRD(verbs.SendOpSend | verbs.SendOpSendWithImm))
	for _, op := range []verbs.SendOps{verbs.SendOpRDMAWrite, verbs.SendOpRDMARead} {
		if err := s.createSRD(op); err != nil {
			e.refused("create_qp for WRITE or READ", err, verbs.ErrNotSupported)
		}
	}
}

func srdUnsignaled(e *env) {
	l := e.srdPair()
	w := l.send(opSend, 7, 8)
	w.Flags = 0
	_, err := l.a.TryPost(w)
	e.refused("post_send", err, syscall.EINVAL)
	l.a.SendCQ.StaysEmpty()
}

func srdTooEarly(e *env) {
	for _, state := range []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR} {
		a, b := e.inState(srdConf(), state)
		l := &srdPair{env: e, a: a, b: b, ah: a.handle(b)}
		_, err := a.TryPost(l.send(opSend, 7, 8))
		e.refused("post_send in "+state.String(), err, syscall.EINVAL)
	}
}

func srdOnce(e *env) {
	const n = depth
	l := e.srdPair()
	for i := range n {
		l.b.PostRecv(recv{ID: uint64(i), SGEs: []verbs.SGE{l.b.SGE(i*64, 64)}})
	}
	for i := range n {
		w := l.send(opSendImm, uint64(i), 8)
		w.Imm = [4]byte{byte(i)}
		l.a.Post(w)
	}
	requests, receives, messages := map[uint64]int{}, map[uint64]int{}, map[byte]int{}
	for _, wc := range l.a.SendCQ.Next(n) {
		e.succeeded(wc)
		requests[wc.WRID]++
	}
	for _, wc := range l.b.RecvCQ.Next(n) {
		e.succeeded(wc)
		receives[wc.WRID]++
		messages[wc.Imm[0]]++
	}
	if len(requests) != n || len(receives) != n || len(messages) != n {
		e.Errorf("of %d requests, receives and messages %d, %d and %d came, some more than once", n, len(requests), len(receives), len(messages))
	}
	l.a.SendCQ.StaysEmpty()
	l.b.RecvCQ.ExpectEmpty()
}

func (e *env) succeeded(wc verbs.WC) {
	e.Helper()
	if wc.Status != verbs.WCSuccess {
		e.Errorf("request %d: %s", wc.WRID, wc.Status)
	}
}

func srdWithoutReceive(e *env) {
	for _, retries := range []uint8{7, 0} {
		a, b := e.inState(srdConf(), verbs.QPRTR)
		b.To(verbs.QPReset, a)
		b.Enter(verbs.QPRTS, a)
		attr, mask := a.Move(verbs.QPRTS, b)
		attr.RNRRetry = retries
		if err := a.QP.Modify(attr, mask|verbs.MaskRNRRetry); errors.Is(err, verbs.ErrNotSupported) {
			e.Skip("the device does not support rnr_retry of SRD")
		} else {
			e.ok(err)
		}
		l := &srdPair{env: e, a: a, b: b, ah: a.handle(b)}
		a.Post(l.send(opSend, 7, 8))
		if retries == 0 {
			a.SendCQ.Expect(7, verbs.WCRNRRetryExcErr)
			continue
		}
		a.SendCQ.StaysEmpty()
		b.PostRecv(recv{ID: 5, SGEs: []verbs.SGE{b.SGE(0, 8)}})
		a.SendCQ.Expect(7, verbs.WCSuccess)
		b.RecvCQ.Expect(5, verbs.WCSuccess)
	}
}

func srdNobody(e *env) {
	l := e.srdPair()
	w := l.send(opSend, 7, 8)
	e.close(l.b.QP)
	l.a.Post(w)
	l.fails(7)
}

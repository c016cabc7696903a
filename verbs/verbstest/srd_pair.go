package verbstest

import (
	"errors"

	"github.com/ibperf/ibperf/verbs"
)

// srdConf returns a configuration within the limits of EFA: few SGEs and little inline data, and no
// remote rights, which a device without WRITE and READ refuses.
func srdConf() config {
	c := conf().WithType(verbs.QPTypeSRD)
	c.Cap = verbs.QPCap{MaxSendWR: depth, MaxRecvWR: depth, MaxSendSGE: 1, MaxRecvSGE: 1}
	return c
}

// srdPair is two sides with SRD QPs, and an address handle from a to b.
type srdPair struct {
	*env
	a, b   *side
	ah     verbs.AH // of a, to b
	remote []byte   // b's memory for WRITE or READ, of the region mr
	mr     verbs.MR
}

func (e *env) srdPair() *srdPair {
	e.Helper()
	a, b := e.pair(srdConf())
	return &srdPair{env: e, a: a, b: b, ah: a.handle(b)}
}

// srdPairFor makes a pair with memory for an operation. It skips the test on a device without it.
func (e *env) srdPairFor(op verbs.Opcode) *srdPair {
	e.Helper()
	l := e.srdPair()
	l.needsOp(op)
	return l
}

// needsOp adds memory for an operation. It skips the test on a device without it.
func (l *srdPair) needsOp(op verbs.Opcode) {
	l.Helper()
	ops, right := verbs.SendOpRDMAWrite, verbs.AccessLocalWrite|verbs.AccessRemoteWrite
	if op == opRead {
		ops, right = verbs.SendOpRDMARead, verbs.AccessRemoteRead
	}
	if err := l.a.createSRD(ops); errors.Is(err, verbs.ErrNotSupported) {
		l.Skipf("the device offers no %s over SRD", op)
	}
	l.remote, l.mr = l.b.Region(1<<12, right)
}

// createSRD makes a QP with operations, and destroys it.
func (s *side) createSRD(ops verbs.SendOps) error {
	qp, err := s.PD.CreateQP(&verbs.QPInitAttr{
		SendCQ: s.SendCQ.CQ, RecvCQ: s.RecvCQ.CQ, Cap: s.Config.Cap, Type: verbs.QPTypeSRD, SendOps: ops,
	})
	if err == nil {
		err = qp.Close()
	}
	return err
}

// send is a SEND of the first n bytes of a's memory to b.
func (l *srdPair) send(op verbs.Opcode, id uint64, n int) send {
	return send{ID: id, Op: op, Flags: signaled, Imm: imm, SGEs: []verbs.SGE{l.a.SGE(0, n)}}.ToUD(l.ah, l.b)
}

// access is a WRITE or READ of n bytes at an offset in b's memory.
func (l *srdPair) access(op verbs.Opcode, id uint64, n, off int) send {
	return l.send(op, id, n).Into(l.mr, off)
}

// fails waits for a's completion of a request, which must have failed.
func (l *srdPair) fails(id uint64) {
	l.Helper()
	if wc := l.a.SendCQ.WaitFor(id); wc.Status == verbs.WCSuccess {
		l.Errorf("request %d succeeded", id)
	}
}

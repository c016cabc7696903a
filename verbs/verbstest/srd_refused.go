package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// Requests of SRD QPs that fail.

func srdWrongKey(e *env) {
	for _, op := range []verbs.Opcode{opWrite, opRead} {
		e.sub(op.String(), func(e *env) {
			l := e.srdPairFor(op)
			fixture.Fill(l.a.Mem[:64], 1)
			before := string(l.a.Mem[:64])
			w := l.access(op, 7, 64, 0)
			w.RKey ^= 0x100
			l.a.Post(w)
			l.fails(7)
			if touched(l.remote) || string(l.a.Mem[:64]) != before {
				e.Error("data were moved")
			}
		})
	}
}

func srdTooLong(e *env) {
	l := e.srdPair()
	longest := e.port(l.a.Ctx).MaxMsgSize
	if uint64(longest) >= uint64(len(l.a.Mem)) {
		e.Skipf("a message of more than %d bytes takes too much memory", longest)
	}
	n := int(longest) + 1
	fixture.Fill(l.a.Mem[:n], 1)
	l.b.PostRecv(recv{ID: 5, SGEs: []verbs.SGE{l.b.SGE(0, len(l.b.Mem))}})
	if _, err := l.a.TryPost(l.send(opSend, 7, n)); err != nil {
		e.refused("post_send", err, syscall.EINVAL)
	} else {
		l.fails(7)
	}
	if touched(l.b.Mem) {
		e.Error("a part of the message arrived")
	}
}

func srdShortReceive(e *env) {
	l := e.srdPair()
	l.b.PostRecv(recv{ID: 5, SGEs: []verbs.SGE{l.b.SGE(0, 16)}})
	l.a.Post(l.send(opSend, 7, 64))
	l.fails(7)
	if touched(l.b.Mem[16:64]) {
		e.Error("bytes behind the receive were written")
	}
}

func srdManyPeers(e *env) {
	l := e.srdPair()
	c := e.side(srdConf())
	c.Enter(verbs.QPRTS, l.a)
	for _, leg := range []*srdPair{l, {env: e, a: l.a, b: c, ah: l.a.handle(c)}, {env: e, a: c, b: l.a, ah: c.handle(l.a)}, {env: e, a: l.b, b: l.a, ah: l.b.handle(l.a)}} {
		leg.b.PostRecv(recv{ID: 5, SGEs: []verbs.SGE{leg.b.SGE(0, 8)}})
		leg.a.Post(leg.send(opSend, 7, 8))
		leg.a.SendCQ.Expect(7, verbs.WCSuccess)
		if wc := leg.b.RecvCQ.Expect(5, verbs.WCSuccess); wc.SrcQP != leg.a.QP.QPNum() {
			e.Errorf("src_qp %#x, the sender is %#x", wc.SrcQP, leg.a.QP.QPNum())
		}
	}
}

func srdOnSRQ(e *env) {
	s := e.side(srdConf())
	srq, err := s.PD.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 1, MaxSGE: 1}})
	if errors.Is(err, verbs.ErrNotSupported) {
		e.Skip("the device offers no SRQ")
	}
	s.SRQ = own(e, srq, err)
	_, err = s.createOnSRQ(verbs.QPTypeSRD)
	e.refused("create_qp", err, syscall.EINVAL, verbs.ErrNotSupported)
}

package verbstest

import (
	"bytes"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var rmaStatements = []statement{
	{"RMA-1", "WRITE places bytes without a completion or a receive of the peer's", writeIsOneSided},
	{"RMA-2", "the data of WRITE_WITH_IMM is there when its receive completes", writeImmData},
	{"RMA-3", "READ scatters the peer's bytes in order and tells their number", readScatters},
	{"RMA-4", "requests of a QP take effect in their order", orderOfRequests},
	{"RMA-11", "more READs than may be outstanding complete in order", manyReads},
	{"RMA-12", "more READs than the responder takes at once succeed or are refused", tooDeep},
	{"RMA-13", "a responder with depth 0 refuses READs", responderWithoutDepth},
	{"RMA-14", "a requester with depth 0 cannot READ", requesterWithoutDepth},
	{"RMA-15", "the access flags of the QP gate WRITE, READ and atomic operations separately", gatedByQP},
	{"RMA-18", "immediate data is four opaque bytes", opaqueImm},
	{"RMA-20", "any alignment on either side works, across pages", alignments},
}

func writeIsOneSided(e *env) {
	a, b := e.pair(conf())
	b.PostRecv(recv{ID: 1})
	a.writesTo(b)
	b.RecvCQ.StaysEmpty()
	a.Post(send{Op: opSend})
	b.RecvCQ.Expect(1, verbs.WCSuccess)
}

func writeImmData(e *env) {
	a, b := e.pair(conf())
	for i := range 10 {
		fixture.Fill(a.Mem[:40000], i)
		b.PostRecv(recv{ID: uint64(i)})
		a.Post(send{Op: opWriteImm, Flags: signaled, Imm: imm, SGEs: []verbs.SGE{a.SGE(0, 40000)}}.Toward(b, 1))
		wc := b.RecvCQ.Expect(uint64(i), verbs.WCSuccess)
		if !bytes.Equal(b.Mem[1:40001], a.Mem[:40000]) {
			e.Fatalf("message %d: the completion came before the data", i)
		}
		if wc.Opcode != verbs.WCRecvRDMAWithImm || wc.Imm != imm || wc.ByteLen != 40000 {
			e.Errorf("%+v", wc)
		}
		a.SendCQ.Next(1)
	}
}

func readScatters(e *env) {
	a, b := e.pair(conf())
	copy(b.Mem[50:], "abcdefghijkl")
	a.Post(send{
		ID: 1, Op: opRead, Flags: signaled, SGEs: []verbs.SGE{a.SGE(7, 5), a.SGE(0, 0), a.SGE(127, 3), a.SGE(400, 4)},
	}.Toward(b, 50))
	if wc := a.SendCQ.Expect(1, verbs.WCSuccess); wc.ByteLen != 12 {
		e.Errorf("byte_len %d, want 12", wc.ByteLen)
	}
	e.holds(a.Mem[6:13], "\x00abcde\x00")
	e.holds(a.Mem[126:131], "\x00fgh\x00")
	e.holds(a.Mem[399:405], "\x00ijkl\x00")
}

func orderOfRequests(e *env) {
	a, b := e.pair(conf())
	for i := range 10 {
		fixture.Fill(a.Mem[:20000], i)
		b.PostRecv(recv{ID: uint64(i)})
		a.Post(
			send{SGEs: []verbs.SGE{a.SGE(0, 20000)}}.Toward(b, 1),
			send{Op: opSend},
			send{ID: 100, Op: opRead, Flags: signaled, SGEs: []verbs.SGE{a.SGE(30000, 20000)}}.Toward(b, 1),
		)
		b.RecvCQ.Expect(uint64(i), verbs.WCSuccess)
		if !bytes.Equal(b.Mem[1:20001], a.Mem[:20000]) {
			e.Fatalf("message %d: the SEND overtook the WRITE", i)
		}
		a.SendCQ.Expect(100, verbs.WCSuccess)
		if !bytes.Equal(a.Mem[30000:50000], a.Mem[:20000]) {
			e.Fatalf("message %d: the READ overtook the WRITE", i)
		}
	}
}

func manyReads(e *env) {
	c := conf()
	c.RdAtomic, c.DestRdAtomic = 2, 2
	a, b := e.pair(c)
	fixture.Fill(b.Mem, 5)
	for i := range depth {
		a.Post(send{ID: uint64(i), Op: opRead, Flags: signaled, SGEs: []verbs.SGE{a.SGE(100*i, 100)}}.Toward(b, 100*i))
	}
	for i := range depth {
		a.SendCQ.Expect(uint64(i), verbs.WCSuccess)
	}
	e.holds(a.Mem[:100*depth], string(b.Mem[:100*depth]))
}

func tooDeep(e *env) {
	c := conf()
	c.RdAtomic, c.DestRdAtomic = 8, 1
	a, b := e.pair(c)
	fixture.Fill(b.Mem, 5)
	for i := range 16 {
		a.Post(send{ID: uint64(i), Op: opRead, Flags: signaled, SGEs: []verbs.SGE{a.SGE(100*i, 100)}}.Toward(b, 100*i))
	}
	end := verbs.WCSuccess
	for i := range 16 {
		wc := a.SendCQ.WaitFor(uint64(i))
		switch {
		case end == verbs.WCSuccess && (wc.Status == verbs.WCSuccess || wc.Status == verbs.WCRemInvReqErr):
			end = wc.Status
		case end == verbs.WCSuccess || wc.Status != verbs.WCWRFlushErr:
			e.Fatalf("READ %d: %s after %s", i, wc.Status, end)
		}
		if wc.Status == verbs.WCSuccess && !bytes.Equal(a.Mem[100*i:100*i+100], b.Mem[100*i:100*i+100]) {
			e.Errorf("READ %d brought something else", i)
		}
	}
}

func responderWithoutDepth(e *env) {
	c := conf()
	c.DestRdAtomic = 0
	a, b := e.pair(c)
	a.Post(send{ID: 1, Op: opRead, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
	a.SendCQ.Expect(1, verbs.WCRemInvReqErr)
}

func requesterWithoutDepth(e *env) {
	c := conf()
	c.RdAtomic = 0
	a, b := e.pair(c)
	_, err := a.TryPost(send{ID: 1, Op: opRead, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
	if err != nil {
		e.refused("post_send", err, syscall.EINVAL, syscall.ENOMEM)
	}
	failed := err != nil || fixture.Until(4*fixture.Quiet, func() bool {
		n, err := a.SendCQ.Poll(a.SendCQ.WC[:1])
		e.ok(err)
		return n == 1 && a.SendCQ.WC[0].Status != verbs.WCSuccess
	})
	checkValue(e, "Q14", "the READ failed", failed, true, false)
	if e.hasQuirk("Q14") {
		a.IsIn(verbs.QPRTS)
	}
}

func gatedByQP(e *env) {
	rights := map[verbs.Opcode]verbs.Access{opWrite: verbs.AccessRemoteWrite, opRead: verbs.AccessRemoteRead}
	c := conf()
	if e.device(e.open()).AtomicCap != verbs.AtomicNone {
		c = c.Atomic()
		rights[opAdd] = verbs.AccessRemoteAtomic
	}
	every := c.QPAccess
	for denied, right := range rights {
		c.QPAccess = every &^ right
		a, b := e.pair(c)
		fixture.Fill(a.Mem[:8], 1)
		for op := range rights {
			if op != denied {
				a.Post(send{ID: 1, Op: op, Flags: signaled, CompareAdd: 1, SGEs: []verbs.SGE{a.SGE(104, 8)}}.Toward(b, 104))
				a.SendCQ.Expect(1, verbs.WCSuccess)
			}
		}
		a.Post(send{ID: 2, Op: denied, Flags: signaled, CompareAdd: 1, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
		a.SendCQ.Expect(2, verbs.WCRemInvReqErr)
		if touched(b.Mem[:8]) {
			e.Errorf("%s: bytes were written", denied)
		}
	}
}

func opaqueImm(e *env) {
	a, b := e.pair(conf())
	for i, op := range []verbs.Opcode{opSendImm, opWriteImm} {
		for k, v := range [][4]byte{{1, 2, 3, 4}, {0xff, 0, 0x80, 0x7f}, {}} {
			id := uint64(10*i + k)
			b.PostRecv(recv{ID: id})
			a.Post(send{Op: op, Imm: v}.Toward(b, 0))
			if wc := b.RecvCQ.Expect(id, verbs.WCSuccess); wc.Imm != v {
				e.Errorf("%s: %v arrived as %v", op, v, wc.Imm)
			}
		}
	}
}

func alignments(e *env) {
	const page = 4096
	for _, tr := range []transfer{transfers[0], transfers[2], transfers[4]} {
		m := e.mover(tr, conf())
		for off := range 8 {
			for size := 1; size <= 17; size += 2 {
				m.move(size, page-8+off, 3*page-off)
			}
		}
		for _, size := range []int{31, 127, 128, 129, 255, 4095, 4097} {
			m.move(size, page-1, 3*page-3)
		}
	}
}

package verbstest

import (
	"bytes"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
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
	b.recv(recv{id: 1})
	a.writesTo(b)
	b.recvCQ.staysEmpty()
	a.post(send{op: opSend})
	b.recvCQ.gives(1, verbs.WCSuccess)
}

func writeImmData(e *env) {
	a, b := e.pair(conf())
	for i := range 10 {
		fill(a.mem[:40000], i)
		b.recv(recv{id: uint64(i)})
		a.post(send{op: opWriteImm, flags: signaled, imm: imm, sges: []verbs.SGE{a.sge(0, 40000)}}.toward(b, 1))
		wc := b.recvCQ.gives(uint64(i), verbs.WCSuccess)
		if !bytes.Equal(b.mem[1:40001], a.mem[:40000]) {
			e.Fatalf("message %d: the completion came before the data", i)
		}
		if wc.Opcode != verbs.WCRecvRDMAWithImm || wc.Imm != imm || wc.ByteLen != 40000 {
			e.Errorf("%+v", wc)
		}
		a.sendCQ.next(1)
	}
}

func readScatters(e *env) {
	a, b := e.pair(conf())
	copy(b.mem[50:], "abcdefghijkl")
	a.post(send{
		id: 1, op: opRead, flags: signaled, sges: []verbs.SGE{a.sge(7, 5), a.sge(0, 0), a.sge(127, 3), a.sge(400, 4)},
	}.toward(b, 50))
	if wc := a.sendCQ.gives(1, verbs.WCSuccess); wc.ByteLen != 12 {
		e.Errorf("byte_len %d, want 12", wc.ByteLen)
	}
	e.holds(a.mem[6:13], "\x00abcde\x00")
	e.holds(a.mem[126:131], "\x00fgh\x00")
	e.holds(a.mem[399:405], "\x00ijkl\x00")
}

func orderOfRequests(e *env) {
	a, b := e.pair(conf())
	for i := range 10 {
		fill(a.mem[:20000], i)
		b.recv(recv{id: uint64(i)})
		a.post(
			send{sges: []verbs.SGE{a.sge(0, 20000)}}.toward(b, 1),
			send{op: opSend},
			send{id: 100, op: opRead, flags: signaled, sges: []verbs.SGE{a.sge(30000, 20000)}}.toward(b, 1),
		)
		b.recvCQ.gives(uint64(i), verbs.WCSuccess)
		if !bytes.Equal(b.mem[1:20001], a.mem[:20000]) {
			e.Fatalf("message %d: the SEND overtook the WRITE", i)
		}
		a.sendCQ.gives(100, verbs.WCSuccess)
		if !bytes.Equal(a.mem[30000:50000], a.mem[:20000]) {
			e.Fatalf("message %d: the READ overtook the WRITE", i)
		}
	}
}

func manyReads(e *env) {
	c := conf()
	c.rdAtomic, c.destRdAtomic = 2, 2
	a, b := e.pair(c)
	fill(b.mem, 5)
	for i := range depth {
		a.post(send{id: uint64(i), op: opRead, flags: signaled, sges: []verbs.SGE{a.sge(100*i, 100)}}.toward(b, 100*i))
	}
	for i := range depth {
		a.sendCQ.gives(uint64(i), verbs.WCSuccess)
	}
	e.holds(a.mem[:100*depth], string(b.mem[:100*depth]))
}

func tooDeep(e *env) {
	c := conf()
	c.rdAtomic, c.destRdAtomic = 8, 1
	a, b := e.pair(c)
	fill(b.mem, 5)
	for i := range 16 {
		a.post(send{id: uint64(i), op: opRead, flags: signaled, sges: []verbs.SGE{a.sge(100*i, 100)}}.toward(b, 100*i))
	}
	end := verbs.WCSuccess
	for i := range 16 {
		wc := a.sendCQ.of(uint64(i))
		switch {
		case end == verbs.WCSuccess && (wc.Status == verbs.WCSuccess || wc.Status == verbs.WCRemInvReqErr):
			end = wc.Status
		case end == verbs.WCSuccess || wc.Status != verbs.WCWRFlushErr:
			e.Fatalf("READ %d: %s after %s", i, wc.Status, end)
		}
		if wc.Status == verbs.WCSuccess && !bytes.Equal(a.mem[100*i:100*i+100], b.mem[100*i:100*i+100]) {
			e.Errorf("READ %d brought something else", i)
		}
	}
}

func responderWithoutDepth(e *env) {
	c := conf()
	c.destRdAtomic = 0
	a, b := e.pair(c)
	a.post(send{id: 1, op: opRead, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
	a.sendCQ.gives(1, verbs.WCRemInvReqErr)
}

func requesterWithoutDepth(e *env) {
	c := conf()
	c.rdAtomic = 0
	a, b := e.pair(c)
	_, err := a.tryPost(send{id: 1, op: opRead, flags: signaled, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
	if err != nil {
		e.refused("post_send", err, syscall.EINVAL, syscall.ENOMEM)
	}
	failed := err != nil || until(4*quiet, func() bool {
		n, err := a.sendCQ.Poll(a.sendCQ.wc[:1])
		e.ok(err)
		return n == 1 && a.sendCQ.wc[0].Status != verbs.WCSuccess
	})
	agree(e, "Q14", "the READ failed", failed, true, false)
	if e.quirk("Q14") {
		a.isIn(verbs.QPRTS)
	}
}

func gatedByQP(e *env) {
	rights := map[verbs.Opcode]verbs.Access{opWrite: verbs.AccessRemoteWrite, opRead: verbs.AccessRemoteRead}
	c := conf()
	if e.device(e.open()).AtomicCap != verbs.AtomicNone {
		c = c.atomic()
		rights[opAdd] = verbs.AccessRemoteAtomic
	}
	every := c.qpAccess
	for denied, right := range rights {
		c.qpAccess = every &^ right
		a, b := e.pair(c)
		fill(a.mem[:8], 1)
		for op := range rights {
			if op != denied {
				a.post(send{id: 1, op: op, flags: signaled, compareAdd: 1, sges: []verbs.SGE{a.sge(104, 8)}}.toward(b, 104))
				a.sendCQ.gives(1, verbs.WCSuccess)
			}
		}
		a.post(send{id: 2, op: denied, flags: signaled, compareAdd: 1, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
		a.sendCQ.gives(2, verbs.WCRemInvReqErr)
		if touched(b.mem[:8]) {
			e.Errorf("%s: bytes were written", denied)
		}
	}
}

func opaqueImm(e *env) {
	a, b := e.pair(conf())
	for i, op := range []verbs.Opcode{opSendImm, opWriteImm} {
		for k, v := range [][4]byte{{1, 2, 3, 4}, {0xff, 0, 0x80, 0x7f}, {}} {
			id := uint64(10*i + k)
			b.recv(recv{id: id})
			a.post(send{op: op, imm: v}.toward(b, 0))
			if wc := b.recvCQ.gives(id, verbs.WCSuccess); wc.Imm != v {
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

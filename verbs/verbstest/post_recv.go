package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var rcvStatements = []statement{
	{"RCV-1", "receives are taken first in, first out, by messages and immediate data only", receivesFIFO},
	{"RCV-2", "a list is posted up to the first bad request, which is returned", recvListStopsAtBad},
	{"RCV-3", "a full receive queue refuses, and a polled completion makes room", fullRecvQueue},
	{"RCV-4", "more SGEs than the QP has are refused", tooManyRecvSGEs},
	{"RCV-5", "a receive without SGEs takes an empty message, or immediate data with a WRITE of any length", emptyReceive},
	{"RCV-6", "a message fills the SGEs in order and leaves the rest as it was", scatter},
	{"RCV-7", "byte_len is the length of a message shorter than its receive", shorterMessage},
	{"RCV-8", "a QP on an SRQ takes no receives of its own", recvBesideSRQ},
	{"RCV-9", "WRITE_WITH_IMM takes a receive and leaves its buffer alone", writeImmReceive},
	{"RCV-10", "the keys of a receive are looked at when it is used", recvKeysLater},
	{"RCV-11", "the receive that a failure meets fails, and those behind it are flushed", failedReceive},
	{"RCV-12", "the first 40 bytes of a UD receive are the GRH's, of an SRQ too", udReceives},
}

func receivesFIFO(e *env) {
	a, b := e.pair(conf())
	for i := range 4 {
		b.PostRecv(recv{ID: uint64(i), SGEs: []verbs.SGE{b.SGE(i, 1)}})
	}
	copy(a.Mem, "abcdef")
	one := func(op verbs.Opcode, i int) send {
		return send{Op: op, SGEs: []verbs.SGE{a.SGE(i, 1)}}.Toward(b, 100+i)
	}
	a.Post(one(opSend, 0), one(opWrite, 1), one(opRead, 5), one(opSendImm, 2), one(opWriteImm, 3), one(opSend, 4))
	for i := range 4 {
		b.RecvCQ.Expect(uint64(i), verbs.WCSuccess)
	}
	e.holds(b.Mem[:5], "ac\x00e\x00")
	e.holds(b.Mem[100:105], "\x00b\x00d\x00")
}

func recvListStopsAtBad(e *env) {
	a, b := e.pair(conf())
	bad, err := b.TryPostRecv(recv{ID: 1}, recv{ID: 2, SGEs: make([]verbs.SGE, fixture.MaxListSGE)}, recv{ID: 3})
	e.refused("post_recv", err, syscall.EINVAL, syscall.ENOMEM)
	if bad != 1 {
		e.Errorf("bad_wr is receive %d, want 1", bad)
	}
	b.PostRecv(recv{ID: 4})
	a.Post(send{Op: opSend}, send{Op: opSend})
	b.RecvCQ.Expect(1, verbs.WCSuccess)
	b.RecvCQ.Expect(4, verbs.WCSuccess)
}

func fullRecvQueue(e *env) {
	a, b := e.pair(shallow())
	n := 0
	for ; ; n++ {
		bad, err := b.TryPostRecv(recv{ID: uint64(n)})
		if err != nil {
			e.refused("post_recv to a full queue", err, syscall.ENOMEM)
			if bad != 0 || n < b.Config.Cap.MaxRecvWR {
				e.Errorf("bad_wr %d after %d receives", bad, n)
			}
			break
		}
		if n == 1<<12 {
			e.Fatal("the receive queue takes everything")
		}
	}
	for i := range 2 * n {
		a.Post(send{Op: opSend, Flags: signaled})
		a.SendCQ.Expect(0, verbs.WCSuccess)
		b.RecvCQ.Expect(uint64(i), verbs.WCSuccess)
		b.PostRecv(recv{ID: uint64(n + i)})
	}
}

func tooManyRecvSGEs(e *env) {
	_, b := e.pair(conf())
	_, init, err := b.QP.Query(verbs.MaskCap)
	e.ok(err)
	n := init.Cap.MaxRecvSGE + 1
	if n > fixture.MaxListSGE {
		e.Skipf("the QP takes %d SGEs", n-1)
	}
	bad, err := b.TryPostRecv(recv{SGEs: make([]verbs.SGE, n)})
	e.refused("post_recv", err, syscall.EINVAL, syscall.ENOMEM)
	if bad != 0 {
		e.Errorf("bad_wr is receive %d", bad)
	}
}

func emptyReceive(e *env) {
	a, b := e.pair(conf())
	b.PostRecv(recv{ID: 1}, recv{ID: 2})
	a.Post(send{Op: opSend}, send{Op: opWriteImm, SGEs: []verbs.SGE{a.SGE(0, 3000)}}.Toward(b, 0))
	if wc := b.RecvCQ.Expect(1, verbs.WCSuccess); wc.ByteLen != 0 {
		e.Errorf("byte_len %d of an empty message", wc.ByteLen)
	}
	if wc := b.RecvCQ.Expect(2, verbs.WCSuccess); wc.ByteLen != 3000 {
		e.Errorf("byte_len %d of a WRITE of 3000 bytes", wc.ByteLen)
	}
}

func scatter(e *env) {
	a, b := e.pair(conf())
	fixture.Fill(b.Mem[:400], 3)
	before := string(b.Mem[:400])
	copy(a.Mem, "abcdefghijkl")
	b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{b.SGE(100, 5), b.SGE(0, 0), b.SGE(200, 5), b.SGE(300, 20)}})
	a.Post(send{Op: opSend, SGEs: []verbs.SGE{a.SGE(0, 12)}})
	b.RecvCQ.Expect(1, verbs.WCSuccess)
	e.holds(b.Mem[:400], before[:100]+"abcde"+before[105:200]+"fghij"+before[205:300]+"kl"+before[302:])
}

func shorterMessage(e *env) {
	a, b := e.pair(conf())
	for _, n := range []int{1, 63, 1025, 4096} {
		b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{b.SGE(0, 8192)}})
		a.Post(send{Op: opSend, SGEs: []verbs.SGE{a.SGE(0, n)}})
		if wc := b.RecvCQ.Expect(1, verbs.WCSuccess); int(wc.ByteLen) != n {
			e.Errorf("byte_len %d of a message of %d", wc.ByteLen, n)
		}
	}
}

func writeImmReceive(e *env) {
	a, b := e.pair(conf())
	fixture.Fill(a.Mem[:100], 5)
	fixture.Fill(b.Mem[:64], 6)
	before := string(b.Mem[:64])
	b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{b.SGE(0, 64)}})
	a.Post(send{Op: opWriteImm, Imm: imm, SGEs: []verbs.SGE{a.SGE(0, 100)}}.Toward(b, 1000))
	if wc := b.RecvCQ.Expect(1, verbs.WCSuccess); wc.ByteLen != 100 {
		e.Errorf("byte_len %d of a WRITE of 100 bytes", wc.ByteLen)
	}
	e.holds(b.Mem[:64], before)
	e.holds(b.Mem[1000:1100], string(a.Mem[:100]))
}

func recvKeysLater(e *env) {
	a, b := e.pair(conf())
	b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{{Addr: 1, Length: 8, LKey: 0xbad00}}})
	b.RecvCQ.StaysEmpty()
	a.Post(send{ID: 2, Op: opSend, SGEs: []verbs.SGE{a.SGE(0, 8)}})
	a.SendCQ.Expect(2, verbs.WCRemOpErr)
	checkValue(e, "Q05", "the receive", b.RecvCQ.WaitFor(1).Status, verbs.WCLocProtErr, verbs.WCLocQPOpErr)
}

func failedReceive(e *env) {
	a, b := e.pair(conf())
	b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{b.SGE(0, 2048)}}, recv{ID: 2}, recv{ID: 3})
	a.Post(send{ID: 4, Op: opSend, SGEs: []verbs.SGE{a.SGE(0, 3000)}})
	if wc := a.SendCQ.WaitFor(4); wc.Status == verbs.WCSuccess {
		e.Error("a message longer than its receive succeeded")
	}
	if wc := b.RecvCQ.WaitFor(1); wc.Status == verbs.WCSuccess || wc.Status == verbs.WCWRFlushErr {
		e.Errorf("the receive: %s", wc.Status)
	}
	b.RecvCQ.Expect(2, verbs.WCWRFlushErr)
	b.RecvCQ.Expect(3, verbs.WCWRFlushErr)
}

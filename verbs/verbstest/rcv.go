package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
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
		b.recv(recv{id: uint64(i), sges: []verbs.SGE{b.sge(i, 1)}})
	}
	copy(a.mem, "abcdef")
	one := func(op verbs.Opcode, i int) send {
		return send{op: op, sges: []verbs.SGE{a.sge(i, 1)}}.toward(b, 100+i)
	}
	a.post(one(opSend, 0), one(opWrite, 1), one(opRead, 5), one(opSendImm, 2), one(opWriteImm, 3), one(opSend, 4))
	for i := range 4 {
		b.recvCQ.gives(uint64(i), verbs.WCSuccess)
	}
	e.holds(b.mem[:5], "ac\x00e\x00")
	e.holds(b.mem[100:105], "\x00b\x00d\x00")
}

func recvListStopsAtBad(e *env) {
	a, b := e.pair(conf())
	bad, err := b.tryRecv(recv{id: 1}, recv{id: 2, sges: make([]verbs.SGE, sgeMax)}, recv{id: 3})
	e.refused("post_recv", err, syscall.EINVAL, syscall.ENOMEM)
	if bad != 1 {
		e.Errorf("bad_wr is receive %d, want 1", bad)
	}
	b.recv(recv{id: 4})
	a.post(send{op: opSend}, send{op: opSend})
	b.recvCQ.gives(1, verbs.WCSuccess)
	b.recvCQ.gives(4, verbs.WCSuccess)
}

func fullRecvQueue(e *env) {
	a, b := e.pair(shallow())
	n := 0
	for ; ; n++ {
		bad, err := b.tryRecv(recv{id: uint64(n)})
		if err != nil {
			e.refused("post_recv to a full queue", err, syscall.ENOMEM)
			if bad != 0 || n < b.conf.cap.MaxRecvWR {
				e.Errorf("bad_wr %d after %d receives", bad, n)
			}
			break
		}
		if n == 1<<12 {
			e.Fatal("the receive queue takes everything")
		}
	}
	for i := range 2 * n {
		a.post(send{op: opSend, flags: signaled})
		a.sendCQ.gives(0, verbs.WCSuccess)
		b.recvCQ.gives(uint64(i), verbs.WCSuccess)
		b.recv(recv{id: uint64(n + i)})
	}
}

func tooManyRecvSGEs(e *env) {
	_, b := e.pair(conf())
	_, init, err := b.qp.Query(verbs.MaskCap)
	e.ok(err)
	n := init.Cap.MaxRecvSGE + 1
	if n > sgeMax {
		e.Skipf("the QP takes %d SGEs", n-1)
	}
	bad, err := b.tryRecv(recv{sges: make([]verbs.SGE, n)})
	e.refused("post_recv", err, syscall.EINVAL, syscall.ENOMEM)
	if bad != 0 {
		e.Errorf("bad_wr is receive %d", bad)
	}
}

func emptyReceive(e *env) {
	a, b := e.pair(conf())
	b.recv(recv{id: 1}, recv{id: 2})
	a.post(send{op: opSend}, send{op: opWriteImm, sges: []verbs.SGE{a.sge(0, 3000)}}.toward(b, 0))
	if wc := b.recvCQ.gives(1, verbs.WCSuccess); wc.ByteLen != 0 {
		e.Errorf("byte_len %d of an empty message", wc.ByteLen)
	}
	if wc := b.recvCQ.gives(2, verbs.WCSuccess); wc.ByteLen != 3000 {
		e.Errorf("byte_len %d of a WRITE of 3000 bytes", wc.ByteLen)
	}
}

func scatter(e *env) {
	a, b := e.pair(conf())
	fill(b.mem[:400], 3)
	before := string(b.mem[:400])
	copy(a.mem, "abcdefghijkl")
	b.recv(recv{id: 1, sges: []verbs.SGE{b.sge(100, 5), b.sge(0, 0), b.sge(200, 5), b.sge(300, 20)}})
	a.post(send{op: opSend, sges: []verbs.SGE{a.sge(0, 12)}})
	b.recvCQ.gives(1, verbs.WCSuccess)
	e.holds(b.mem[:400], before[:100]+"abcde"+before[105:200]+"fghij"+before[205:300]+"kl"+before[302:])
}

func shorterMessage(e *env) {
	a, b := e.pair(conf())
	for _, n := range []int{1, 63, 1025, 4096} {
		b.recv(recv{id: 1, sges: []verbs.SGE{b.sge(0, 8192)}})
		a.post(send{op: opSend, sges: []verbs.SGE{a.sge(0, n)}})
		if wc := b.recvCQ.gives(1, verbs.WCSuccess); int(wc.ByteLen) != n {
			e.Errorf("byte_len %d of a message of %d", wc.ByteLen, n)
		}
	}
}

func writeImmReceive(e *env) {
	a, b := e.pair(conf())
	fill(a.mem[:100], 5)
	fill(b.mem[:64], 6)
	before := string(b.mem[:64])
	b.recv(recv{id: 1, sges: []verbs.SGE{b.sge(0, 64)}})
	a.post(send{op: opWriteImm, imm: imm, sges: []verbs.SGE{a.sge(0, 100)}}.toward(b, 1000))
	if wc := b.recvCQ.gives(1, verbs.WCSuccess); wc.ByteLen != 100 {
		e.Errorf("byte_len %d of a WRITE of 100 bytes", wc.ByteLen)
	}
	e.holds(b.mem[:64], before)
	e.holds(b.mem[1000:1100], string(a.mem[:100]))
}

func recvKeysLater(e *env) {
	a, b := e.pair(conf())
	b.recv(recv{id: 1, sges: []verbs.SGE{{Addr: 1, Length: 8, LKey: 0xbad00}}})
	b.recvCQ.staysEmpty()
	a.post(send{id: 2, op: opSend, sges: []verbs.SGE{a.sge(0, 8)}})
	a.sendCQ.gives(2, verbs.WCRemOpErr)
	agree(e, "Q05", "the receive", b.recvCQ.of(1).Status, verbs.WCLocProtErr, verbs.WCLocQPOpErr)
}

func failedReceive(e *env) {
	a, b := e.pair(conf())
	b.recv(recv{id: 1, sges: []verbs.SGE{b.sge(0, 2048)}}, recv{id: 2}, recv{id: 3})
	a.post(send{id: 4, op: opSend, sges: []verbs.SGE{a.sge(0, 3000)}})
	if wc := a.sendCQ.of(4); wc.Status == verbs.WCSuccess {
		e.Error("a message longer than its receive succeeded")
	}
	if wc := b.recvCQ.of(1); wc.Status == verbs.WCSuccess || wc.Status == verbs.WCWRFlushErr {
		e.Errorf("the receive: %s", wc.Status)
	}
	b.recvCQ.gives(2, verbs.WCWRFlushErr)
	b.recvCQ.gives(3, verbs.WCWRFlushErr)
}

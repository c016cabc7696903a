package verbstest

import (
	"bytes"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

func fence(e *env) {
	a, b := e.pair(conf())
	for i := range 20 {
		fill(b.mem[:1000], i)
		a.post(
			send{op: opRead, sges: []verbs.SGE{a.sge(0, 1000)}}.toward(b, 0),
			send{id: 1, flags: verbs.SendFence | signaled, sges: []verbs.SGE{a.sge(0, 1000)}}.toward(b, 5000),
		)
		a.sendCQ.gives(1, verbs.WCSuccess)
		if !bytes.Equal(b.mem[5000:6000], b.mem[:1000]) {
			e.Fatalf("message %d: the fenced WRITE sent what was there before the READ", i)
		}
	}
}

func noFence(e *env) {
	a, b := e.pair(conf())
	for i := range 20 {
		fill(a.mem[:1000], 100+i)
		before := bytes.Clone(a.mem[:1000])
		fill(b.mem[:1000], i)
		a.post(
			send{op: opRead, sges: []verbs.SGE{a.sge(0, 1000)}}.toward(b, 0),
			send{id: 1, flags: signaled, sges: []verbs.SGE{a.sge(0, 1000)}}.toward(b, 5000),
		)
		a.sendCQ.gives(1, verbs.WCSuccess)
		for k, got := range b.mem[5000:6000] {
			if got != before[k] && got != b.mem[k] {
				e.Fatalf("message %d, byte %d: %#x, want %#x or %#x", i, k, got, before[k], b.mem[k])
			}
		}
	}
}

func fenceOnUC(e *env) {
	a, b := e.pair(conf().of(verbs.QPTypeUC))
	fill(a.mem[:100], 1)
	b.recv(recv{id: 1, sges: []verbs.SGE{b.sge(0, 100)}})
	_, err := a.tryPost(send{id: 2, op: opSend, flags: verbs.SendFence | signaled, sges: []verbs.SGE{a.sge(0, 100)}})
	if err != nil {
		e.refused("post_send", err, syscall.EINVAL, verbs.ErrNotSupported)
		return
	}
	a.sendCQ.gives(2, verbs.WCSuccess)
	b.recvCQ.gives(1, verbs.WCSuccess)
	e.holds(b.mem[:100], string(a.mem[:100]))
}

func emptyMessages(e *env) {
	for _, tr := range transfers {
		m := e.mover(tr, conf())
		for id, sges := range [][]verbs.SGE{nil, {{Addr: 1, LKey: 0xbad}}} {
			if tr.receives {
				m.b.recv(recv{id: uint64(id)})
			}
			m.a.post(send{id: uint64(id), op: tr.op, flags: signaled, sges: sges}.toward(m.b, 0))
			m.a.sendCQ.gives(uint64(id), verbs.WCSuccess)
			if !tr.receives {
				continue
			}
			if wc := m.b.recvCQ.gives(uint64(id), verbs.WCSuccess); wc.ByteLen != 0 {
				e.Errorf("%s: byte_len %d", tr.op, wc.ByteLen)
			}
		}
	}
}

func emptyNeedsNoKey(e *env) {
	a, b := e.pair(conf())
	for i, op := range []verbs.Opcode{opWrite, opRead} {
		a.post(send{id: uint64(i), op: op, flags: signaled, raddr: 5, rkey: 0xbad})
		a.sendCQ.gives(uint64(i), verbs.WCSuccess)
	}
	b.isIn(verbs.QPRTS)
}

func gather(e *env) {
	a, b := e.pair(conf())
	copy(a.mem, "abcdefghijkl")
	sges := []verbs.SGE{a.sge(6, 6), a.sge(1, 0), a.sge(0, 2), a.sge(2, 4)}
	b.recv(recv{id: 1, sges: []verbs.SGE{b.sge(0, 64)}})
	a.post(send{op: opSend, sges: sges}, send{id: 2, flags: signaled, sges: sges}.toward(b, 130))
	b.recvCQ.gives(1, verbs.WCSuccess)
	a.sendCQ.gives(2, verbs.WCSuccess)
	e.holds(b.mem[:13], "ghijklabcdef\x00")
	e.holds(b.mem[129:143], "\x00ghijklabcdef\x00")
}

func segmented(e *env) {
	for _, tr := range transfers {
		c := conf()
		c.size = 1 << 18
		m := e.mover(tr, c)
		mtu := m.a.pathMTU().Bytes()
		for _, size := range []int{mtu - 1, mtu, mtu + 1, 4*mtu + 1, 100_001} {
			m.move(size, 1, 7)
		}
	}
}

// tooLong posts a WRITE of one page more than the port's largest message. The
// error is that of posting it.
func (e *env) tooLong() (a, b *side, err error) {
	ctx := e.open()
	length := int(e.port(ctx).MaxMsgSize) + 4096
	pieces := e.device(ctx).MaxSGE
	if pieces > sgeMax {
		pieces = sgeMax
	}
	piece := (length/pieces | 4095) + 1
	if piece > 1<<27 {
		e.Skipf("a message of %d bytes takes too much memory", length)
	}
	c := conf()
	c.size, c.cap.MaxSendSGE = piece, pieces
	a = e.side(c)
	c = conf()
	if e.quirk("Q18") {
		c.size = pieces * piece
	}
	b = e.side(c)
	connect(a, b)
	w := send{id: 1}.toward(b, 0)
	for range pieces {
		w.sges = append(w.sges, a.sge(0, piece))
	}
	w.flags = signaled
	_, err = a.tryPost(w)
	return a, b, err
}

var sentAnyway = instead[verbs.WCStatus]{"Q18", verbs.WCSuccess}

func tooLongMessage(e *env) {
	a, _, err := e.tooLong()
	if err == nil {
		a.failsHere(1, verbs.WCLocLenErr, sentAnyway)
	}
}

// tooLongIsLocal covers ERR-6.
func tooLongIsLocal(e *env) {
	a, b, err := e.tooLong()
	if err != nil {
		e.Skip("the device refuses the message when it is posted")
	}
	a.failsHere(1, verbs.WCLocLenErr, sentAnyway)
	if !e.quirk("Q18") {
		a.comesTo(verbs.QPErr)
	}
	b.isIn(verbs.QPRTS)
}

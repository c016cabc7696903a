package verbstest

import (
	"bytes"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

func fence(e *env) {
	a, b := e.pair(conf())
	for i := range 20 {
		fixture.Fill(b.Mem[:1000], i)
		a.Post(
			send{Op: opRead, SGEs: []verbs.SGE{a.SGE(0, 1000)}}.Toward(b, 0),
			send{ID: 1, Flags: verbs.SendFence | signaled, SGEs: []verbs.SGE{a.SGE(0, 1000)}}.Toward(b, 5000),
		)
		a.SendCQ.Expect(1, verbs.WCSuccess)
		if !bytes.Equal(b.Mem[5000:6000], b.Mem[:1000]) {
			e.Fatalf("message %d: the fenced WRITE sent what was there before the READ", i)
		}
	}
}

func noFence(e *env) {
	a, b := e.pair(conf())
	for i := range 20 {
		fixture.Fill(a.Mem[:1000], 100+i)
		before := bytes.Clone(a.Mem[:1000])
		fixture.Fill(b.Mem[:1000], i)
		a.Post(
			send{Op: opRead, SGEs: []verbs.SGE{a.SGE(0, 1000)}}.Toward(b, 0),
			send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 1000)}}.Toward(b, 5000),
		)
		a.SendCQ.Expect(1, verbs.WCSuccess)
		for k, got := range b.Mem[5000:6000] {
			if got != before[k] && got != b.Mem[k] {
				e.Fatalf("message %d, byte %d: %#x, want %#x or %#x", i, k, got, before[k], b.Mem[k])
			}
		}
	}
}

func fenceOnUC(e *env) {
	a, b := e.pair(conf().WithType(verbs.QPTypeUC))
	fixture.Fill(a.Mem[:100], 1)
	b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{b.SGE(0, 100)}})
	_, err := a.TryPost(send{ID: 2, Op: opSend, Flags: verbs.SendFence | signaled, SGEs: []verbs.SGE{a.SGE(0, 100)}})
	if err != nil {
		e.refused("post_send", err, syscall.EINVAL, verbs.ErrNotSupported)
		return
	}
	a.SendCQ.Expect(2, verbs.WCSuccess)
	b.RecvCQ.Expect(1, verbs.WCSuccess)
	e.holds(b.Mem[:100], string(a.Mem[:100]))
}

func emptyMessages(e *env) {
	for _, tr := range transfers {
		m := e.mover(tr, conf())
		for id, sges := range [][]verbs.SGE{nil, {{Addr: 1, LKey: 0xbad}}} {
			if tr.receives {
				m.b.PostRecv(recv{ID: uint64(id)})
			}
			m.a.Post(send{ID: uint64(id), Op: tr.op, Flags: signaled, SGEs: sges}.Toward(m.b, 0))
			m.a.SendCQ.Expect(uint64(id), verbs.WCSuccess)
			if !tr.receives {
				continue
			}
			if wc := m.b.RecvCQ.Expect(uint64(id), verbs.WCSuccess); wc.ByteLen != 0 {
				e.Errorf("%s: byte_len %d", tr.op, wc.ByteLen)
			}
		}
	}
}

func emptyNeedsNoKey(e *env) {
	a, b := e.pair(conf())
	for i, op := range []verbs.Opcode{opWrite, opRead} {
		a.Post(send{ID: uint64(i), Op: op, Flags: signaled, RemoteAddr: 5, RKey: 0xbad})
		a.SendCQ.Expect(uint64(i), verbs.WCSuccess)
	}
	b.IsIn(verbs.QPRTS)
}

func gather(e *env) {
	a, b := e.pair(conf())
	copy(a.Mem, "abcdefghijkl")
	sges := []verbs.SGE{a.SGE(6, 6), a.SGE(1, 0), a.SGE(0, 2), a.SGE(2, 4)}
	b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{b.SGE(0, 64)}})
	a.Post(send{Op: opSend, SGEs: sges}, send{ID: 2, Flags: signaled, SGEs: sges}.Toward(b, 130))
	b.RecvCQ.Expect(1, verbs.WCSuccess)
	a.SendCQ.Expect(2, verbs.WCSuccess)
	e.holds(b.Mem[:13], "ghijklabcdef\x00")
	e.holds(b.Mem[129:143], "\x00ghijklabcdef\x00")
}

func segmented(e *env) {
	for _, tr := range transfers {
		c := conf()
		c.BufferSize = 1 << 18
		m := e.mover(tr, c)
		mtu := m.a.PathMTU().Bytes()
		for _, size := range []int{mtu - 1, mtu, mtu + 1, 4*mtu + 1, 100_001} {
			m.move(size, 1, 7)
		}
	}
}

// tooLong posts a WRITE of one page more than the port's largest message. err is the error of
// the post.
func (e *env) tooLong() (a, b *side, err error) {
	ctx := e.open()
	length := int(e.port(ctx).MaxMsgSize) + 4096
	pieces := e.device(ctx).MaxSGE
	if pieces > fixture.MaxListSGE {
		pieces = fixture.MaxListSGE
	}
	piece := (length/pieces | 4095) + 1
	if piece > 1<<27 {
		e.Skipf("a message of %d bytes takes too much memory", length)
	}
	c := conf()
	c.BufferSize, c.Cap.MaxSendSGE = piece, pieces
	a = e.side(c)
	c = conf()
	if e.hasQuirk("Q18") {
		c.BufferSize = pieces * piece
	}
	b = e.side(c)
	fixture.Connect(a, b)
	w := send{ID: 1}.Toward(b, 0)
	for range pieces {
		w.SGEs = append(w.SGEs, a.SGE(0, piece))
	}
	w.Flags = signaled
	_, err = a.TryPost(w)
	return a, b, err
}

var quirkSentAnyway = deviation[verbs.WCStatus]{"Q18", verbs.WCSuccess}

func tooLongMessage(e *env) {
	a, _, err := e.tooLong()
	if err == nil {
		a.failsLocally(1, verbs.WCLocLenErr, quirkSentAnyway)
	}
}

// tooLongIsLocal covers ERR-6.
func tooLongIsLocal(e *env) {
	a, b, err := e.tooLong()
	if err != nil {
		e.Skip("the device refuses the message when it is posted")
	}
	a.failsLocally(1, verbs.WCLocLenErr, quirkSentAnyway)
	if !e.hasQuirk("Q18") {
		a.Reaches(verbs.QPErr)
	}
	b.IsIn(verbs.QPRTS)
}

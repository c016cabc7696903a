package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// unregistered returns memory outside all regions, with its SGE.
func (e *env) unregistered(s string) ([]byte, verbs.SGE) {
	e.Helper()
	buf := e.buffer(len(s))
	copy(buf.Bytes(), s)
	return buf.Bytes(), verbs.SGE{Addr: buf.Addr(), Length: uint32(len(s)), LKey: 0xdeadbeef}
}

func inlineIsTaken(e *env) {
	a, b := e.pair(conf())
	copy(a.Mem, "0123456789")
	a.Post(send{Op: opSend, Flags: verbs.SendInline, SGEs: []verbs.SGE{a.SGE(0, 10)}})
	clear(a.Mem[:10]) // while the SEND waits for a receive
	b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{b.SGE(0, 64)}})
	b.RecvCQ.Expect(1, verbs.WCSuccess)
	e.holds(b.Mem[:11], "0123456789\x00")
}

func inlineUnregistered(e *env) {
	a, b := e.pair(conf())
	mem, sge := e.unregistered("abc")
	a.Post(send{ID: 1, Flags: verbs.SendInline | signaled, SGEs: []verbs.SGE{sge}}.Toward(b, 9))
	clear(mem)
	a.SendCQ.Expect(1, verbs.WCSuccess)
	e.holds(b.Mem[8:13], "\x00abc\x00")
	_, sge = e.unregistered("defg")
	b.PostRecv(recv{ID: 2, SGEs: []verbs.SGE{b.SGE(32, 8)}})
	a.Post(send{Op: opSend, Flags: verbs.SendInline, SGEs: []verbs.SGE{sge}})
	b.RecvCQ.Expect(2, verbs.WCSuccess)
	e.holds(b.Mem[32:37], "defg\x00")
}

func inlineGather(e *env) {
	a, b := e.pair(conf())
	copy(a.Mem, "abcdefg")
	b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{b.SGE(0, 64)}}, recv{ID: 2, SGEs: []verbs.SGE{b.SGE(64, 64)}})
	a.Post(
		send{Op: opSend, Flags: verbs.SendInline, SGEs: []verbs.SGE{a.SGE(0, 3), a.SGE(0, 0), a.SGE(3, 4)}},
		send{Op: opSend, Flags: verbs.SendInline},
	)
	if wc := b.RecvCQ.Expect(1, verbs.WCSuccess); wc.ByteLen != 7 {
		e.Errorf("byte_len %d, want 7", wc.ByteLen)
	}
	if wc := b.RecvCQ.Expect(2, verbs.WCSuccess); wc.ByteLen != 0 {
		e.Errorf("byte_len %d of an empty message", wc.ByteLen)
	}
	e.holds(b.Mem[:8], "abcdefg\x00")
}

func (s *side) inlineLimit() int {
	s.Helper()
	_, init, err := s.QP.Query(verbs.MaskCap)
	s.ok(err)
	return init.Cap.MaxInlineData
}

func inlineTooLong(e *env) {
	a, b := e.pair(conf())
	limit := a.inlineLimit()
	for _, sges := range [][]verbs.SGE{{a.SGE(0, limit+1)}, {a.SGE(0, limit), a.SGE(0, 1)}} {
		bad, err := a.TryPost(send{Flags: verbs.SendInline, SGEs: sges}.Toward(b, 0))
		e.refused("post_send", err, syscall.EINVAL, syscall.ENOMEM)
		if bad != 0 {
			e.Errorf("bad_wr is request %d", bad)
		}
	}
	a.writesTo(b)
}

func inlineRead(e *env) {
	a, b := e.pair(conf())
	fixture.Fill(a.Mem[:8], 1)
	fixture.Fill(b.Mem[:8], 2)
	before := string(a.Mem[:8])
	bad, err := a.TryPost(send{ID: 1, Op: opRead, Flags: verbs.SendInline | signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
	checkValue(e, "Q27", "refused at once", errors.Is(err, syscall.EINVAL) && bad == 0, true, false)
	if e.hasQuirk("Q27") {
		a.SendCQ.Expect(1, verbs.WCLocProtErr)
	}
	a.SendCQ.ExpectEmpty()
	e.holds(a.Mem[:8], before)
}

func inlineGranted(e *env) {
	a, b := e.pair(conf())
	if limit := a.inlineLimit(); limit < maxInline {
		e.Errorf("granted %d bytes of %d", limit, maxInline)
	}
	fixture.Fill(a.Mem[:maxInline], 1)
	a.Post(send{ID: 1, Flags: verbs.SendInline | signaled, SGEs: []verbs.SGE{a.SGE(0, maxInline)}}.Toward(b, 0))
	a.SendCQ.Expect(1, verbs.WCSuccess)
	e.holds(b.Mem[:maxInline], string(a.Mem[:maxInline]))
}

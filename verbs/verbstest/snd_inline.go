package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// unregistered returns memory that no region covers, with an SGE that names it.
func (e *env) unregistered(s string) ([]byte, verbs.SGE) {
	e.Helper()
	buf := e.buffer(len(s))
	copy(buf.Bytes(), s)
	return buf.Bytes(), verbs.SGE{Addr: buf.Addr(), Length: uint32(len(s)), LKey: 0xdeadbeef}
}

func inlineIsTaken(e *env) {
	a, b := e.pair(conf())
	copy(a.mem, "0123456789")
	a.post(send{op: opSend, flags: verbs.SendInline, sges: []verbs.SGE{a.sge(0, 10)}})
	clear(a.mem[:10]) // while the SEND waits for a receive
	b.recv(recv{id: 1, sges: []verbs.SGE{b.sge(0, 64)}})
	b.recvCQ.gives(1, verbs.WCSuccess)
	e.holds(b.mem[:11], "0123456789\x00")
}

func inlineUnregistered(e *env) {
	a, b := e.pair(conf())
	mem, sge := e.unregistered("abc")
	a.post(send{id: 1, flags: verbs.SendInline | signaled, sges: []verbs.SGE{sge}}.toward(b, 9))
	clear(mem)
	a.sendCQ.gives(1, verbs.WCSuccess)
	e.holds(b.mem[8:13], "\x00abc\x00")
	_, sge = e.unregistered("defg")
	b.recv(recv{id: 2, sges: []verbs.SGE{b.sge(32, 8)}})
	a.post(send{op: opSend, flags: verbs.SendInline, sges: []verbs.SGE{sge}})
	b.recvCQ.gives(2, verbs.WCSuccess)
	e.holds(b.mem[32:37], "defg\x00")
}

func inlineGather(e *env) {
	a, b := e.pair(conf())
	copy(a.mem, "abcdefg")
	b.recv(recv{id: 1, sges: []verbs.SGE{b.sge(0, 64)}}, recv{id: 2, sges: []verbs.SGE{b.sge(64, 64)}})
	a.post(
		send{op: opSend, flags: verbs.SendInline, sges: []verbs.SGE{a.sge(0, 3), a.sge(0, 0), a.sge(3, 4)}},
		send{op: opSend, flags: verbs.SendInline},
	)
	if wc := b.recvCQ.gives(1, verbs.WCSuccess); wc.ByteLen != 7 {
		e.Errorf("byte_len %d, want 7", wc.ByteLen)
	}
	if wc := b.recvCQ.gives(2, verbs.WCSuccess); wc.ByteLen != 0 {
		e.Errorf("byte_len %d of an empty message", wc.ByteLen)
	}
	e.holds(b.mem[:8], "abcdefg\x00")
}

func (s *side) inlineLimit() int {
	s.Helper()
	_, init, err := s.qp.Query(verbs.MaskCap)
	s.ok(err)
	return init.Cap.MaxInlineData
}

func inlineTooLong(e *env) {
	a, b := e.pair(conf())
	limit := a.inlineLimit()
	for _, sges := range [][]verbs.SGE{{a.sge(0, limit+1)}, {a.sge(0, limit), a.sge(0, 1)}} {
		bad, err := a.tryPost(send{flags: verbs.SendInline, sges: sges}.toward(b, 0))
		e.refused("post_send", err, syscall.EINVAL, syscall.ENOMEM)
		if bad != 0 {
			e.Errorf("bad_wr is request %d", bad)
		}
	}
	a.writesTo(b)
}

func inlineRead(e *env) {
	a, b := e.pair(conf())
	fill(a.mem[:8], 1)
	fill(b.mem[:8], 2)
	before := string(a.mem[:8])
	bad, err := a.tryPost(send{id: 1, op: opRead, flags: verbs.SendInline | signaled, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
	agree(e, "Q27", "refused at once", errors.Is(err, syscall.EINVAL) && bad == 0, true, false)
	if e.quirk("Q27") {
		a.sendCQ.gives(1, verbs.WCLocProtErr)
	}
	a.sendCQ.empty()
	e.holds(a.mem[:8], before)
}

func inlineGranted(e *env) {
	a, b := e.pair(conf())
	if limit := a.inlineLimit(); limit < maxInline {
		e.Errorf("granted %d bytes of %d", limit, maxInline)
	}
	fill(a.mem[:maxInline], 1)
	a.post(send{id: 1, flags: verbs.SendInline | signaled, sges: []verbs.SGE{a.sge(0, maxInline)}}.toward(b, 0))
	a.sendCQ.gives(1, verbs.WCSuccess)
	e.holds(b.mem[:maxInline], string(a.mem[:maxInline]))
}

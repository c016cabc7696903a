package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// registerAt registers memory of the side under addresses from iova on; the
// statement is skipped if the device cannot.
func (s *side) registerAt(mem []byte, iova uint64) verbs.MR {
	s.Helper()
	mr, err := s.pd.RegMRIova(mem, iova, allRights)
	if errors.Is(err, verbs.ErrNotSupported) {
		s.Skipf("the device does not register memory at addresses of the caller's choice: %v", err)
	}
	return own(s.env, mr, err)
}

// answersAt checks that the addresses from base on mean the memory, as local
// memory of a and as target of b.
func (a *side) answersAt(b *side, mem []byte, mr verbs.MR, base uint64) {
	a.Helper()
	local := verbs.SGE{Addr: base + 64, Length: 8, LKey: mr.LKey()}
	copy(mem[64:], "gathered")
	a.post(send{id: 1, flags: signaled, sges: []verbs.SGE{local}}.toward(b, 0))
	a.sendCQ.gives(1, verbs.WCSuccess)
	a.holds(b.mem[:8], "gathered")

	copy(b.mem, "readhere")
	a.post(send{id: 2, op: opRead, flags: signaled, sges: []verbs.SGE{local}}.toward(b, 0))
	a.sendCQ.gives(2, verbs.WCSuccess)
	a.holds(mem[63:73], "\x00readhere\x00")

	copy(b.mem, "received")
	a.recv(recv{id: 3, sges: []verbs.SGE{local}})
	b.post(send{id: 4, op: opSend, flags: signaled, sges: []verbs.SGE{b.sge(0, 8)}})
	a.recvCQ.gives(3, verbs.WCSuccess)
	b.sendCQ.gives(4, verbs.WCSuccess)
	a.holds(mem[63:73], "\x00received\x00")

	last := base + uint64(len(mem)) - 8
	copy(b.mem, "written!")
	b.post(send{id: 5, flags: signaled, sges: []verbs.SGE{b.sge(0, 8)}, raddr: last, rkey: mr.RKey()})
	b.sendCQ.gives(5, verbs.WCSuccess)
	a.holds(mem[len(mem)-8:], "written!")
	b.refusedByPeer(send{sges: []verbs.SGE{b.sge(0, 8)}, raddr: last + 1, rkey: mr.RKey()})
}

func namedRegion(e *env) {
	const at = 100 // into a page
	a, b := e.pair(conf())
	buf := a.buffer(8192)
	mem := buf.Bytes()[at : at+5000]
	const iova = 1<<40 + at
	mr := a.registerAt(mem, iova)
	if mr.Addr() != iova || mr.Len() != len(mem) {
		e.Errorf("addr %#x, length %d, want %#x, %d", mr.Addr(), mr.Len(), uint64(iova), len(mem))
	}
	a.answersAt(b, mem, mr, iova)
	b.recover(a)
	b.refusedByPeer(send{sges: []verbs.SGE{b.sge(0, 8)}, raddr: buf.Addr() + at, rkey: mr.RKey()})
}

func offsetInPage(e *env) {
	a, b := e.pair(conf())
	buf := a.buffer(8192)
	for _, bad := range []uint64{1<<40 + 99, 1<<40 + 101, 100} {
		_, err := a.pd.RegMRIova(buf.Bytes(), bad, allRights)
		if errors.Is(err, verbs.ErrNotSupported) {
			e.Skipf("the device does not register memory at addresses of the caller's choice: %v", err)
		}
		e.refused("reg_mr_iova", err, syscall.EINVAL)
	}
	a.answersAt(b, buf.Bytes(), a.registerAt(buf.Bytes(), 0), 0)
}

func zeroBased(e *env) {
	a, b := e.pair(conf())
	buf := a.buffer(8192)
	mem := buf.Bytes()[128:5000]
	mr, err := a.pd.RegMR(mem, allRights|verbs.AccessZeroBased)
	if err != nil {
		e.refused("reg_mr with ZERO_BASED", err, syscall.EINVAL, verbs.ErrNotSupported)
		e.Skip("the device has no zero-based regions")
	}
	own(e, mr, nil)
	b.post(send{id: 1, flags: signaled, sges: []verbs.SGE{b.sge(0, 8)}, raddr: 64, rkey: mr.RKey()})
	agree(e, "Q16", "WRITE to offset 64", b.sendCQ.of(1).Status, verbs.WCSuccess, verbs.WCRemAccessErr)
	if e.quirk("Q16") {
		return
	}
	a.answersAt(b, mem, mr, 0)
}

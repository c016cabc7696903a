package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// registerAt registers memory of the side with the addresses from iova on. It skips the
// statement on a device that cannot.
func (s *side) registerAt(mem []byte, iova uint64) verbs.MR {
	s.Helper()
	mr, err := s.PD.RegMRIova(mem, iova, allRights)
	if errors.Is(err, verbs.ErrNotSupported) {
		s.Skipf("the device does not register memory at addresses of the caller's choice: %v", err)
	}
	return own(s.env, mr, err)
}

// answersAt checks that the addresses from base on refer to the memory, as local memory of a and
// as remote memory of b.
func (a *side) answersAt(b *side, mem []byte, mr verbs.MR, base uint64) {
	a.Helper()
	local := verbs.SGE{Addr: base + 64, Length: 8, LKey: mr.LKey()}
	copy(mem[64:], "gathered")
	a.Post(send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{local}}.Toward(b, 0))
	a.SendCQ.Expect(1, verbs.WCSuccess)
	a.holds(b.Mem[:8], "gathered")

	copy(b.Mem, "readhere")
	a.Post(send{ID: 2, Op: opRead, Flags: signaled, SGEs: []verbs.SGE{local}}.Toward(b, 0))
	a.SendCQ.Expect(2, verbs.WCSuccess)
	a.holds(mem[63:73], "\x00readhere\x00")

	copy(b.Mem, "received")
	a.PostRecv(recv{ID: 3, SGEs: []verbs.SGE{local}})
	b.Post(send{ID: 4, Op: opSend, Flags: signaled, SGEs: []verbs.SGE{b.SGE(0, 8)}})
	a.RecvCQ.Expect(3, verbs.WCSuccess)
	b.SendCQ.Expect(4, verbs.WCSuccess)
	a.holds(mem[63:73], "\x00received\x00")

	last := base + uint64(len(mem)) - 8
	copy(b.Mem, "written!")
	b.Post(send{ID: 5, Flags: signaled, SGEs: []verbs.SGE{b.SGE(0, 8)}, RemoteAddr: last, RKey: mr.RKey()})
	b.SendCQ.Expect(5, verbs.WCSuccess)
	a.holds(mem[len(mem)-8:], "written!")
	b.refusedByPeer(send{SGEs: []verbs.SGE{b.SGE(0, 8)}, RemoteAddr: last + 1, RKey: mr.RKey()})
}

func namedRegion(e *env) {
	const at = 100 // offset in a page
	a, b := e.pair(conf())
	buf := a.buffer(8192)
	mem := buf.Bytes()[at : at+5000]
	const iova = 1<<40 + at
	mr := a.registerAt(mem, iova)
	if mr.Addr() != iova || mr.Len() != len(mem) {
		e.Errorf("addr %#x, length %d, want %#x, %d", mr.Addr(), mr.Len(), uint64(iova), len(mem))
	}
	a.answersAt(b, mem, mr, iova)
	fixture.Recover(b, a)
	b.refusedByPeer(send{SGEs: []verbs.SGE{b.SGE(0, 8)}, RemoteAddr: buf.Addr() + at, RKey: mr.RKey()})
}

func offsetInPage(e *env) {
	a, b := e.pair(conf())
	buf := a.buffer(8192)
	for _, bad := range []uint64{1<<40 + 99, 1<<40 + 101, 100} {
		_, err := a.PD.RegMRIova(buf.Bytes(), bad, allRights)
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
	mr, err := a.PD.RegMR(mem, allRights|verbs.AccessZeroBased)
	if err != nil {
		e.refused("reg_mr with ZERO_BASED", err, syscall.EINVAL, verbs.ErrNotSupported)
		e.Skip("the device has no zero-based regions")
	}
	own(e, mr, nil)
	b.Post(send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{b.SGE(0, 8)}, RemoteAddr: 64, RKey: mr.RKey()})
	checkValue(e, "Q16", "WRITE to offset 64", b.SendCQ.WaitFor(1).Status, verbs.WCSuccess, verbs.WCRemAccessErr)
	if e.hasQuirk("Q16") {
		return
	}
	a.answersAt(b, mem, mr, 0)
}

package shm_test

import (
	"bytes"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// TestRegMROfHeapMemory covers that only memory of a Buffer can be registered.
func TestRegMROfHeapMemory(t *testing.T) {
	s := newSide(t, conf())
	_, err := s.PD.RegMR(make([]byte, 64), allRights)
	wantErrno(t, err, syscall.EFAULT)
}

// TestBufferOutlivesItsClose covers that the memory stays valid for the device while a region is
// registered on it.
func TestBufferOutlivesItsClose(t *testing.T) {
	a, b := pair(t, conf())
	buf := must(verbs.NewBuffer(8192))(t)
	mr := must(b.PD.RegMR(buf.Bytes()[1000:6000], allRights))(t)
	t.Cleanup(func() { noError(t, mr.Close()) })
	noError(t, buf.Close())
	a.Post(send{Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, 8)}, RemoteAddr: mr.Addr(), RKey: mr.RKey()})
	a.SendCQ.Expect(0, verbs.WCSuccess)
	b.Post(send{
		Flags: verbs.SendSignaled, SGEs: []verbs.SGE{{Addr: mr.Addr(), Length: 8, LKey: mr.LKey()}},
	}.Toward(a, 0))
	b.SendCQ.Expect(0, verbs.WCSuccess)
}

// TestClosedContextHoldsNoMemory covers that the memory of regions that were not closed is freed with their context and the
// buffer, and that they can be closed later.
func TestClosedContextHoldsNoMemory(t *testing.T) {
	c := must(must(verbs.Lookup("shm_whole"))(t).Open())(t)
	pd := must(c.AllocPD())(t)
	buf := must(verbs.NewBuffer(4096))(t)
	mr := must(pd.RegMR(buf.Bytes(), allRights))(t)
	memory := buf.Bytes()
	noError(t, c.Close())
	noError(t, buf.Close())
	if err := unix.Msync(memory, unix.MS_ASYNC); err != unix.ENOMEM {
		t.Errorf("msync of the memory: %v, want ENOMEM: it is still mapped", err)
	}
	noError(t, mr.Close())
}

// TestRegMRIovaLimits covers that an iova range cannot wrap around, and that ZERO_BASED overrides
// the iova.
func TestRegMRIovaLimits(t *testing.T) {
	s := newSide(t, conf())
	_, err := s.PD.RegMRIova(s.Mem, 1<<64-pageSize, allRights)
	wantErrno(t, err, syscall.EINVAL)
	_, err = s.PD.RegMRIova(make([]byte, 64), 0, allRights)
	wantErrno(t, err, syscall.EFAULT)
	last := must(s.PD.RegMRIova(s.Mem[:pageSize], 1<<64-pageSize, allRights))(t) // up to the last address
	noError(t, last.Close())
	zero := must(s.PD.RegMRIova(s.Mem, 1<<40, allRights|verbs.AccessZeroBased))(t)
	if zero.Addr() != 0 {
		t.Errorf("ZERO_BASED region at address %#x, want 0", zero.Addr())
	}
	noError(t, zero.Close())
}

// TestRegionWithinBuffer covers a region on a part of a buffer.
func TestRegionWithinBuffer(t *testing.T) {
	a, b := pair(t, conf())
	const from, to = 5000, 9000
	mr := must(b.PD.RegMR(b.Mem[from:to], allRights))(t)
	t.Cleanup(func() { noError(t, mr.Close()) })
	fixture.Fill(a.Mem[:64], 3)
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend} {
		for range 3 {
			clear(b.Mem)
			b.PostRecv(recv{SGEs: []verbs.SGE{{Addr: mr.Addr() + 100, Length: 64, LKey: mr.LKey()}}})
			w := a.request64(op, b)
			w.RemoteAddr, w.RKey = mr.Addr()+100, mr.RKey()
			a.Post(w)
			a.SendCQ.Expect(1, verbs.WCSuccess)
			if !bytes.Equal(b.Mem[from+100:from+164], a.Mem[:64]) || !bytes.Equal(b.Mem[:64], make([]byte, 64)) {
				t.Fatalf("%s: the data was stored elsewhere", op)
			}
		}
	}
}

// TestDeregisterOneOfTwoRegions covers that a closed region's key is invalid, although the peer
// keeps the memory mapped for another region.
func TestDeregisterOneOfTwoRegions(t *testing.T) {
	for _, warm := range []bool{false, true} {
		a, b := pair(t, conf())
		if warm {
			a.useAllOps(t, b)
		}
		mr := must(b.PD.RegMR(b.Mem, allRights))(t)
		w := a.request64(verbs.OpRDMAWrite, b)
		w.RemoteAddr, w.RKey = mr.Addr(), mr.RKey()
		a.Post(w)
		a.SendCQ.Expect(1, verbs.WCSuccess)
		noError(t, mr.Close())
		a.Post(w)
		a.SendCQ.Expect(1, verbs.WCRemAccessErr)
	}
}

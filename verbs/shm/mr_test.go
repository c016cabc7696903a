package shm_test

import (
	"bytes"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestHeapMemory: only memory of a Buffer can be shared with a peer process.
func TestHeapMemory(t *testing.T) {
	s := newSide(t, conf())
	_, err := s.pd.RegMR(make([]byte, 64), allRights)
	wantErrno(t, err, syscall.EFAULT)
}

// TestBufferOutlivesItsClose: the memory stays for the device while a region is
// registered on it.
func TestBufferOutlivesItsClose(t *testing.T) {
	a, b := pair(t, conf())
	buf := must(verbs.NewBuffer(8192))(t)
	mr := must(b.pd.RegMR(buf.Bytes()[1000:6000], allRights))(t)
	t.Cleanup(func() { noError(t, mr.Close()) })
	noError(t, buf.Close())
	a.mustPost(t, send{flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, 8)}, raddr: mr.Addr(), rkey: mr.RKey()})
	pollOne(t, a.sendCQ, 0, verbs.WCSuccess)
	b.mustPost(t, send{
		flags: verbs.SendSignaled, sges: []verbs.SGE{{Addr: mr.Addr(), Length: 8, LKey: mr.LKey()}},
	}.toward(a, 0))
	pollOne(t, b.sendCQ, 0, verbs.WCSuccess)
}

// TestNamedRegions: addresses of the caller's choice do not wrap around, and
// ZERO_BASED is 0 whatever they say.
func TestNamedRegions(t *testing.T) {
	s := newSide(t, conf())
	_, err := s.pd.RegMRIova(s.mem, 1<<64-pageSize, allRights)
	wantErrno(t, err, syscall.EINVAL)
	_, err = s.pd.RegMRIova(make([]byte, 64), 0, allRights)
	wantErrno(t, err, syscall.EFAULT)
	last := must(s.pd.RegMRIova(s.mem[:pageSize], 1<<64-pageSize, allRights))(t) // up to the last address
	noError(t, last.Close())
	zero := must(s.pd.RegMRIova(s.mem, 1<<40, allRights|verbs.AccessZeroBased))(t)
	if zero.Addr() != 0 {
		t.Errorf("address %#x", zero.Addr())
	}
	noError(t, zero.Close())
}

// TestRegionWithinABuffer: its addresses are those of its own bytes.
func TestRegionWithinABuffer(t *testing.T) {
	a, b := pair(t, conf())
	const from, to = 5000, 9000
	mr := must(b.pd.RegMR(b.mem[from:to], allRights))(t)
	t.Cleanup(func() { noError(t, mr.Close()) })
	fill(a.mem[:64], 3)
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend} {
		for range 3 {
			clear(b.mem)
			b.mustRecv(t, recv{sges: []verbs.SGE{{Addr: mr.Addr() + 100, Length: 64, LKey: mr.LKey()}}})
			w := a.small(op, b)
			w.raddr, w.rkey = mr.Addr()+100, mr.RKey()
			a.mustPost(t, w)
			pollOne(t, a.sendCQ, 1, verbs.WCSuccess)
			if !bytes.Equal(b.mem[from+100:from+164], a.mem[:64]) || !bytes.Equal(b.mem[:64], make([]byte, 64)) {
				t.Fatalf("%s: the data is elsewhere", op)
			}
		}
	}
}

// TestRegionClosedBesideAnother: the key of a region ends with it, though its memory stays
// with the peer for another region.
func TestRegionClosedBesideAnother(t *testing.T) {
	for _, warm := range []bool{false, true} {
		a, b := pair(t, conf())
		if warm {
			a.warm(t, b)
		}
		mr := must(b.pd.RegMR(b.mem, allRights))(t)
		w := a.small(verbs.OpRDMAWrite, b)
		w.raddr, w.rkey = mr.Addr(), mr.RKey()
		a.mustPost(t, w)
		pollOne(t, a.sendCQ, 1, verbs.WCSuccess)
		noError(t, mr.Close())
		a.mustPost(t, w)
		pollOne(t, a.sendCQ, 1, verbs.WCRemAccessErr)
	}
}

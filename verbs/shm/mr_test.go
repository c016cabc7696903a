package shm_test

import (
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

func TestRegMR(t *testing.T) {
	s := newSide(t, conf())
	mem := s.mem
	cases := []struct {
		name   string
		buf    []byte
		access verbs.Access
		want   syscall.Errno
	}{
		{"MR-2 REMOTE_WRITE alone", mem, verbs.AccessRemoteWrite, syscall.EINVAL},
		{"MR-2 REMOTE_ATOMIC alone", mem, verbs.AccessRemoteAtomic, syscall.EINVAL},
		{"MR-2 REMOTE_READ alone", mem, verbs.AccessRemoteRead, 0},
		{"MR-2 no right", mem, 0, 0},
		{"MR-3 unknown bit", mem, 0x8000, syscall.EINVAL},
		{"MR-3 unknown bit 30", mem, 1 << 30, syscall.EINVAL},
		{"MR-3 optional bit", mem, allRights | 1<<25, 0},
		{"MR-3 relaxed ordering", mem, allRights | verbs.AccessRelaxedOrdering, 0},
		{"DEV-15 ON_DEMAND", mem, verbs.AccessLocalWrite | verbs.AccessOnDemand, syscall.EINVAL},
		{"MR-4 length 0", mem[:0], allRights, syscall.EINVAL},
		{"MR-4 not a Buffer", make([]byte, 64), allRights, syscall.EFAULT},
		{"MR-6 part of a Buffer", mem[100:164], allRights, 0},
		{"MR-6 last byte", mem[len(mem)-1:], allRights, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			mr, err := s.pd.RegMR(c.buf, c.access)
			if c.want != 0 {
				wantErrno(t, err, c.want)
				return
			}
			noError(t, err)
			if mr.Len() != len(c.buf) || mr.LKey() == 0 {
				t.Errorf("length %d, lkey %#x", mr.Len(), mr.LKey())
			}
			noError(t, mr.Close())
		})
	}
	t.Run("MR-6 two regions on one range", func(t *testing.T) {
		x := must(s.pd.RegMR(mem, 0))(t)
		y := must(s.pd.RegMR(mem, 0))(t)
		if x.LKey() == y.LKey() || x.Addr() != y.Addr() || x.Addr() != s.buf.Addr() {
			t.Errorf("lkeys %#x %#x, addresses %#x %#x", x.LKey(), y.LKey(), x.Addr(), y.Addr())
		}
		noError(t, x.Close())
		noError(t, y.Close())
	})
}

// TestLocalRights covers MR-8 and MR-9 where they allow.
func TestLocalRights(t *testing.T) {
	a, b := pair(t, conf())
	_, mr := a.register(t, 64, 0)
	b.mustRecv(t, recv{sges: []verbs.SGE{b.sge(0, 64)}})
	a.mustPost(t, send{op: verbs.OpSend, sges: []verbs.SGE{{Addr: mr.Addr(), Length: 64, LKey: mr.LKey()}}})
	pollOne(t, b.recvCQ, 0, verbs.WCSuccess)
}

// region is a second region of b's, in the middle of a buffer, and what surrounds it.
type region struct {
	buf *verbs.Buffer
	mr  verbs.MR
}

const regionAt, regionLen = 1000, 5000

func (s *side) innerRegion(t *testing.T, access verbs.Access) region {
	t.Helper()
	buf := must(verbs.NewBuffer(8192))(t)
	t.Cleanup(func() { noError(t, buf.Close()) })
	mr := must(s.pd.RegMR(buf.Bytes()[regionAt:regionAt+regionLen], access))(t)
	t.Cleanup(func() { noError(t, mr.Close()) })
	return region{buf, mr}
}

// TestBounds covers MR-10 and MR-11 at both ends of a region, by one byte.
func TestBounds(t *testing.T) {
	cases := []struct {
		name   string
		off, n int
		ok     bool
	}{
		{"first bytes", 0, 8, true},
		{"last bytes", regionLen - 8, 8, true},
		{"all", 0, regionLen, true},
		{"one byte before", -1, 8, false},
		{"one byte past", regionLen - 7, 8, false},
		{"all and one more", 0, regionLen + 1, false},
		{"behind", regionLen, 1, false},
		{"far behind", 1 << 40, 1, false},
		{"wraps", -1 << 40, 8, false},
	}
	for _, c := range cases {
		for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpRDMARead} {
			t.Run("MR-10 MR-11 ERR-11/"+op.String()+"/"+c.name, func(t *testing.T) {
				a, b := pair(t, conf())
				r := b.innerRegion(t, allRights)
				fill(a.mem, 1)
				a.mustPost(t, send{
					op: op, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, c.n)},
					raddr: r.mr.Addr() + uint64(c.off), rkey: r.mr.RKey(),
				})
				want := verbs.WCSuccess
				if !c.ok {
					want = verbs.WCRemAccessErr
				}
				pollOne(t, a.sendCQ, 0, want)
				if touched := anyByte(r.buf.Bytes()); touched != (c.ok && op == verbs.OpRDMAWrite) {
					t.Errorf("bytes written: %v", touched)
				}
			})
		}
	}
	for _, c := range cases {
		t.Run("MR-10 ERR-5 local/"+c.name, func(t *testing.T) {
			a, b := pair(t, conf())
			r := a.innerRegion(t, allRights)
			sge := verbs.SGE{Addr: r.mr.Addr() + uint64(c.off), Length: uint32(c.n), LKey: r.mr.LKey()}
			a.mustPost(t, send{flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, 1), sge}}.toward(b, 0))
			want := verbs.WCSuccess
			if !c.ok {
				want = verbs.WCLocProtErr
			}
			pollOne(t, a.sendCQ, 0, want)
		})
	}
}

func anyByte(b []byte) bool {
	for _, v := range b {
		if v != 0 {
			return true
		}
	}
	return false
}

// TestBufferOutlivesItsClose: the memory stays for the device while a region is
// registered on it.
func TestBufferOutlivesItsClose(t *testing.T) {
	a, b := pair(t, conf())
	r := b.innerRegion(t, allRights)
	noError(t, r.buf.Close())
	a.mustPost(t, send{flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, 8)}, raddr: r.mr.Addr(), rkey: r.mr.RKey()})
	pollOne(t, a.sendCQ, 0, verbs.WCSuccess)
	b.mustPost(t, send{
		flags: verbs.SendSignaled, sges: []verbs.SGE{{Addr: r.mr.Addr(), Length: 8, LKey: r.mr.LKey()}},
	}.toward(a, 0))
	pollOne(t, b.sendCQ, 0, verbs.WCSuccess)
}

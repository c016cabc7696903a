package shm

import (
	"math/rand"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/ring"
)

// newReceivingNode returns a node in RTS, connected to a second one, with a receive of 64 bytes.
func newReceivingNode(t testing.TB) *node {
	t.Helper()
	v, peer := newNode(t), newNode(t)
	check(t, v.connect(peer.endpoint()))
	check(t, peer.connect(v.endpoint()))
	sge := verbs.SGE{Addr: v.mr.Addr(), Length: 64, LKey: v.mr.LKey()}
	_, err := v.qp.PostRecv(&verbs.RecvWR{WRID: 5, SGList: &sge, NumSGE: 1})
	check(t, err)
	return v
}

// forgeRecord writes the record that completes receive i, as a peer can.
func (v *node) forgeRecord(i uint32, w0, w1 uint64) {
	v.qp.recv.records[i&(v.qp.recv.layout.n-1)] = record{w0, w1&(1<<ring.NumberAt-1) | uint64(i+1)<<ring.NumberAt}
}

// TestForgedRecordsFailTheQP covers that a record that no honest peer makes ends the connection,
// and is not delivered as data.
func TestForgedRecordsFailTheQP(t *testing.T) {
	const recvOK = uint64(verbs.WCRecv) << recOpShift
	cases := []struct {
		name   string
		w0, w1 uint64
		want   verbs.WCStatus
		state  verbs.QPState
	}{
		{"honest", 64, recvOK, verbs.WCSuccess, verbs.QPRTS},
		{"longer than the receive", 65, recvOK, verbs.WCBadRespErr, verbs.QPErr},
		{"very long", 1<<32 - 1, recvOK, verbs.WCBadRespErr, verbs.QPErr},
		{"a send's completion", 8, 0, verbs.WCBadRespErr, verbs.QPErr},
		{"an unknown opcode", 8, 0x55 << recOpShift, verbs.WCBadRespErr, verbs.QPErr},
		{"an unknown status", 8, recvOK | 99, verbs.WCStatus(99), verbs.QPErr},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := newReceivingNode(t)
			v.forgeRecord(0, c.w0, c.w1)
			if wc := v.nextCompletion(t); wc.Status != c.want || wc.WRID != 5 {
				t.Errorf("completion %+v", wc)
			}
			if a, _, _ := v.qp.Query(0); a.State != c.state {
				t.Errorf("QP in %s, want %s", a.State, c.state)
			}
		})
	}
	t.Run("invalidations", func(t *testing.T) {
		v := newReceivingNode(t)
		mine, others := v.bindWindow(t, v.qp), v.bindWindow(t, v.addQP(t))
		for i, key := range []uint32{v.mr.LKey(), others, 0, 1<<32 - 1, mine} {
			if i > 0 {
				_, err := v.qp.PostRecv(&verbs.RecvWR{WRID: 5})
				check(t, err)
			}
			v.forgeRecord(uint32(i), uint64(key)<<32, recvOK|recWithInv)
			if wc := v.nextCompletion(t); wc.Status != verbs.WCSuccess || wc.Flags != verbs.WCWithInv {
				t.Errorf("completion %+v", wc)
			}
			for _, k := range []uint32{v.mr.LKey(), mine, others} {
				if there := v.ctx.dir.mrs[keyIndex(k)].key == k; there != (k != mine || key != mine) {
					t.Errorf("after an invalidation of %#x the directory has key %#x: %v", key, k, there)
				}
			}
		}
	})
	t.Run("more completions than receives", func(t *testing.T) {
		v := newReceivingNode(t)
		v.forgeRecord(0, 8, recvOK)
		v.forgeRecord(1, 8, recvOK)
		v.nextCompletion(t)
		var wc [4]verbs.WC
		if n, err := v.cq.Poll(wc[:]); n != 0 || err != nil {
			t.Errorf("%d completions, %v, want none", n, err)
		}
		if a, _, _ := v.qp.Query(0); a.State != verbs.QPErr {
			t.Errorf("QP in %s, want ERR", a.State)
		}
	})
}

// TestRandomReceiveQueueMemory fills all memory that a peer can write with noise.
func TestRandomReceiveQueueMemory(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		v := newReceivingNode(t)
		rng.Read(v.qp.recv.file.Bytes())
		for i := range v.qp.recv.layout.n {
			if rng.Intn(2) == 0 {
				v.forgeRecord(i, rng.Uint64(), rng.Uint64())
			}
		}
		var wc [64]verbs.WC
		for range 4 {
			if _, err := v.cq.Poll(wc[:]); err != nil {
				t.Fatal(err)
			}
			if _, _, err := v.qp.Query(0); err != nil {
				t.Fatal(err)
			}
		}
		check(t, v.qp.Close())
	}
}

// FuzzLayout fuzzes the check of a peer's receive queue layout.
func FuzzLayout(f *testing.F) {
	f.Add(uint32(16), uint32(1))
	f.Add(uint32(1<<16), uint32(32))
	f.Fuzz(func(t *testing.T, n, sge uint32) {
		l := recvLayout{n: n, maxSGE: sge}
		if l.valid() && (l.size() <= 0 || l.firstAt(l.n-1)+sgeSize > l.wqeAt(0) || l.wqeAt(l.n-1)+wqeSize > l.timeAt(0) || l.timeAt(l.n-1)+8 > l.sgesAt(0) || l.sgesAt(l.n-1)+int(l.maxSGE-1)*sgeSize > l.size()) {
			t.Errorf("layout %+v does not fit into %d bytes", l, l.size())
		}
	})
}

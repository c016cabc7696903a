package shm_test

import (
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// blocked fills a's send queue with SENDs that find no receive, so that they
// cannot complete, until the queue refuses; it returns how many went in.
func blocked(t *testing.T, a *side) (n int) {
	t.Helper()
	for ; n < 1000; n++ {
		bad, err := a.post(send{id: uint64(n), op: verbs.OpSend, sges: []verbs.SGE{a.sge(n, 1)}})
		if err == nil {
			continue
		}
		wantErrno(t, err, syscall.ENOMEM)
		if bad != 0 {
			t.Errorf("bad_wr is request %d, want 0", bad)
		}
		return n
	}
	t.Fatal("the send queue takes everything")
	return 0
}

func TestSendQueue(t *testing.T) {
	c := conf()
	c.rnrRetry, c.cap.MaxSendWR = 7, 5
	t.Run("SND-6 full, SND-7 free again, SND-31, ERR-18 rnr_retry 7", func(t *testing.T) {
		a, b := pair(t, c)
		fill(a.mem, 1)
		n := blocked(t, a)
		if n < c.cap.MaxSendWR {
			t.Errorf("full after %d, capacity %d", n, c.cap.MaxSendWR)
		}
		staysQuiet(t, a.sendCQ)
		for i := range n {
			b.mustRecv(t, recv{id: uint64(i), sges: []verbs.SGE{b.sge(i, 1)}})
		}
		for i, wc := range poll(t, b.recvCQ, n) {
			if wc.WRID != uint64(i) || b.mem[i] != a.mem[i] {
				t.Errorf("receive %d: wr_id %d, byte %#x, want %#x", i, wc.WRID, b.mem[i], a.mem[i])
			}
		}
	})
	t.Run("SND-7", func(t *testing.T) {
		a, b := pair(t, c)
		for i := range 50 {
			a.mustPost(t, send{id: uint64(i), flags: verbs.SendSignaled}.toward(b, 0))
			pollOne(t, a.sendCQ, uint64(i), verbs.WCSuccess)
		}
	})
	t.Run("SND-3 SND-5 list stops at the first bad request", func(t *testing.T) {
		a, b := pair(t, c)
		good := send{id: 1, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, 1)}}.toward(b, 0)
		many := send{id: 2, sges: make([]verbs.SGE, c.cap.MaxSendSGE+1)}
		bad, err := a.post(good, good, many, good)
		wantErrno(t, err, syscall.EINVAL)
		if bad != 2 {
			t.Errorf("bad_wr is request %d, want 2", bad)
		}
		poll(t, a.sendCQ, 2)
		pollNone(t, a.sendCQ)
		a.wantState(t, verbs.QPRTS)
	})
	t.Run("SND-2 opcodes that RC or the device lacks", func(t *testing.T) {
		a, b := pair(t, c)
		for _, op := range []verbs.Opcode{5, 6, 10, 12, 1 << 31} {
			bad, err := a.post(send{op: op, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
			wantErrno(t, err, syscall.EINVAL)
			if bad != 0 {
				t.Errorf("opcode %d: bad_wr is %d", op, bad)
			}
		}
		a.wantState(t, verbs.QPRTS)
		pollNone(t, a.sendCQ)
	})
}

func TestSignaling(t *testing.T) {
	for _, sigAll := range []bool{false, true} {
		c := conf()
		c.sigAll = sigAll
		name := map[bool]string{false: "SND-10 CQ-11 as asked", true: "SND-10 sq_sig_all"}[sigAll]
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, c)
			w := send{sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
			list := []send{w, w, w, w}
			want := []uint64{3}
			for i := range list {
				list[i].id = uint64(i)
			}
			list[3].flags = verbs.SendSignaled
			if sigAll {
				want = []uint64{0, 1, 2, 3}
			}
			a.mustPost(t, list...)
			for _, id := range want {
				pollOne(t, a.sendCQ, id, verbs.WCSuccess)
			}
			pollNone(t, a.sendCQ)
		})
	}
	t.Run("SND-29 wr_id verbatim", func(t *testing.T) {
		a, b := pair(t, conf())
		for _, id := range []uint64{0, ^uint64(0), ^uint64(0), 1 << 63} {
			b.mustRecv(t, recv{id: ^id})
			a.mustPost(t, send{id: id, op: verbs.OpSend, flags: verbs.SendSignaled})
			pollOne(t, a.sendCQ, id, verbs.WCSuccess)
			pollOne(t, b.recvCQ, ^id, verbs.WCSuccess)
		}
	})
}

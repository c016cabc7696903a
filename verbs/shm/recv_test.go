package shm_test

import (
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

func TestReceives(t *testing.T) {
	c := conf()
	c.cap.MaxRecvWR, c.rnrRetry = 5, 7
	t.Run("RCV-1 FIFO, taken by SEND and WITH_IMM only", func(t *testing.T) {
		a, b := pair(t, c)
		for i := range 4 {
			b.mustRecv(t, recv{id: uint64(i), sges: []verbs.SGE{b.sge(i, 1)}})
		}
		copy(a.mem, "abcdef")
		one := func(op verbs.Opcode, i int) send {
			return send{op: op, imm: imm, sges: []verbs.SGE{a.sge(i, 1)}}.toward(b, 100+i)
		}
		a.mustPost(t, one(verbs.OpSend, 0), one(verbs.OpRDMAWrite, 1), one(verbs.OpRDMARead, 5),
			one(verbs.OpSendWithImm, 2), one(verbs.OpRDMAWriteWithImm, 3), one(verbs.OpSend, 4))
		for i, wc := range poll(t, b.recvCQ, 4) {
			if wc.WRID != uint64(i) || wc.Status != verbs.WCSuccess {
				t.Errorf("completion %d: wr_id %d, %s", i, wc.WRID, wc.Status)
			}
		}
		wantBytes(t, b.mem[:5], "ac\x00e\x00")
		wantBytes(t, b.mem[100:105], "\x00b\x00d\x00")
	})
	t.Run("RCV-2 RCV-4 list stops at the first bad request", func(t *testing.T) {
		a, b := pair(t, c)
		bad, err := b.postRecv(recv{id: 1}, recv{id: 2, sges: make([]verbs.SGE, c.cap.MaxRecvSGE+1)}, recv{id: 3})
		wantErrno(t, err, syscall.EINVAL)
		if bad != 1 {
			t.Errorf("bad_wr is receive %d, want 1", bad)
		}
		a.mustPost(t, send{op: verbs.OpSend})
		pollOne(t, b.recvCQ, 1, verbs.WCSuccess)
	})
	t.Run("RCV-3 full, and free again after a poll", func(t *testing.T) {
		a, b := pair(t, c)
		n := 0
		for ; ; n++ {
			if bad, err := b.postRecv(recv{id: uint64(n)}); err != nil {
				wantErrno(t, err, syscall.ENOMEM)
				if bad != 0 || n < c.cap.MaxRecvWR {
					t.Errorf("bad_wr %d after %d receives", bad, n)
				}
				break
			}
		}
		for i := range 5 * n {
			a.mustPost(t, send{op: verbs.OpSend, flags: verbs.SendSignaled})
			pollOne(t, a.sendCQ, 0, verbs.WCSuccess)
			pollOne(t, b.recvCQ, uint64(i), verbs.WCSuccess)
			b.mustRecv(t, recv{id: uint64(n + i)})
		}
	})
	t.Run("RCV-10 keys are looked at when a message comes", func(t *testing.T) {
		a, b := pair(t, c)
		b.mustRecv(t, recv{id: 1, sges: []verbs.SGE{{Addr: 1, Length: 8, LKey: 0xbad}}})
		a.mustPost(t, send{id: 2, op: verbs.OpSend, sges: []verbs.SGE{a.sge(0, 8)}})
		pollOne(t, a.sendCQ, 2, verbs.WCRemOpErr)
		pollOne(t, b.recvCQ, 1, verbs.WCLocProtErr)
	})
	t.Run("RCV-6 the rest of the buffer stays", func(t *testing.T) {
		a, b := pair(t, c)
		fill(b.mem[:200], 3)
		want := string(b.mem[:200])
		b.mustRecv(t, recv{sges: []verbs.SGE{b.sge(50, 100)}})
		copy(a.mem, want[60:])
		a.mustPost(t, send{op: verbs.OpSend, sges: []verbs.SGE{a.sge(0, 10)}})
		pollOne(t, b.recvCQ, 0, verbs.WCSuccess)
		wantBytes(t, b.mem[:200], want[:50]+want[60:70]+want[60:])
	})
}

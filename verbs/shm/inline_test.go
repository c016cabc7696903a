package shm_test

import (
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

func TestInline(t *testing.T) {
	t.Run("SND-13 the buffer is free at once", func(t *testing.T) {
		c := conf()
		c.rnrRetry = 7
		a, b := pair(t, c)
		data, sge := unregistered(t, "0123456789")
		a.mustPost(t, send{op: verbs.OpSend, flags: verbs.SendInline | verbs.SendSignaled, sges: []verbs.SGE{sge}})
		clear(data)
		b.mustRecv(t, recv{sges: []verbs.SGE{b.sge(0, 64)}})
		pollOne(t, b.recvCQ, 0, verbs.WCSuccess)
		wantBytes(t, b.mem[:11], "0123456789\x00")
	})
	t.Run("SND-14 unregistered memory, by WRITE", func(t *testing.T) {
		a, b := pair(t, conf())
		data, sge := unregistered(t, "abc")
		a.mustPost(t, send{flags: verbs.SendInline | verbs.SendSignaled, sges: []verbs.SGE{sge}}.toward(b, 9))
		clear(data)
		pollOne(t, a.sendCQ, 0, verbs.WCSuccess)
		wantBytes(t, b.mem[8:13], "\x00abc\x00")
	})
	t.Run("SND-15 concatenates", func(t *testing.T) {
		for _, waits := range []bool{false, true} {
			c := conf()
			c.rnrRetry = 7
			a, b := pair(t, c)
			x, s1 := unregistered(t, "abc")
			y, s2 := unregistered(t, "defg")
			post := func() {
				a.mustPost(t, send{op: verbs.OpSend, flags: verbs.SendInline, sges: []verbs.SGE{s1, {}, s2}},
					send{op: verbs.OpSend, flags: verbs.SendInline})
			}
			if waits {
				post()
			}
			b.mustRecv(t, recv{id: 1, sges: []verbs.SGE{b.sge(0, 64)}}, recv{id: 2, sges: []verbs.SGE{b.sge(64, 64)}})
			if !waits {
				post()
			}
			clear(x)
			clear(y)
			pollOne(t, b.recvCQ, 1, verbs.WCSuccess)
			if wc := pollOne(t, b.recvCQ, 2, verbs.WCSuccess); wc.ByteLen != 0 {
				t.Errorf("byte_len %d of an empty inline SEND", wc.ByteLen)
			}
			wantBytes(t, b.mem[:8], "abcdefg\x00")
		}
	})
	t.Run("SND-16 SND-17 refused", func(t *testing.T) {
		a, b := pair(t, conf())
		limit := a.conf.cap.MaxInlineData
		a.mustPost(t, send{flags: verbs.SendInline | verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, limit)}}.toward(b, 0))
		pollOne(t, a.sendCQ, 0, verbs.WCSuccess)
		for _, w := range []send{
			{sges: []verbs.SGE{a.sge(0, limit+1)}},
			{sges: []verbs.SGE{a.sge(0, limit), a.sge(0, 1)}},
			{op: verbs.OpRDMARead, sges: []verbs.SGE{a.sge(0, 8)}},
		} {
			w.flags = verbs.SendInline
			bad, err := a.post(w.toward(b, 0))
			wantErrno(t, err, syscall.EINVAL)
			if bad != 0 {
				t.Errorf("bad_wr is %d, want 0", bad)
			}
		}
		a.wantState(t, verbs.QPRTS)
	})
}

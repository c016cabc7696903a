package shm_test

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// preparedPair is a pair whose requests are built beforehand, as in a timed loop.
type preparedPair struct {
	a, b  *side
	write *verbs.SendWR
	send  *verbs.SendWR
	recv  *verbs.RecvWR
	reply *verbs.SendWR
	wc    []verbs.WC
}

func newPreparedPair(t testing.TB, device string, size int) *preparedPair {
	t.Helper()
	c := conf()
	c.device, c.BufferSize, c.Cap.MaxSendWR = device, max(1<<16, size), 128
	a, b := pair(t, c)
	one := func(s, peer *side, op verbs.Opcode) *verbs.SendWR {
		return fixture.NewRequests(t).SendList([]send{
			send{Op: op, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{s.SGE(0, size)}}.Toward(peer, 0),
		})
	}
	return &preparedPair{
		a: a, b: b, write: one(a, b, verbs.OpRDMAWrite), send: one(a, b, verbs.OpSend), reply: one(b, a, verbs.OpSend),
		recv: fixture.NewRequests(t).RecvList([]recv{{SGEs: nil}}), wc: must(verbs.Make[verbs.WC](4))(t),
	}
}

func pollSuccess(t testing.TB, cq verbs.CQ, wc []verbs.WC) {
	for {
		n, err := cq.PollSpin(wc[:1], 1000)
		if err != nil || n == 1 && wc[0].Status != verbs.WCSuccess {
			t.Fatalf("%v, %s", err, wc[0].Status)
		}
		if n == 1 {
			return
		}
	}
}

func (h *preparedPair) writeAndPoll(t testing.TB) {
	if _, err := h.a.QP.PostSend(h.write); err != nil {
		t.Fatal(err)
	}
	pollSuccess(t, h.a.SendCQ.CQ, h.wc)
}

// pingPong sends an empty message there and back, in one thread.
func (h *preparedPair) pingPong(t testing.TB) {
	for _, leg := range [2]struct {
		from, to *side
		wr       *verbs.SendWR
	}{{h.a, h.b, h.send}, {h.b, h.a, h.reply}} {
		if _, err := leg.to.QP.PostRecv(h.recv); err != nil {
			t.Fatal(err)
		}
		if _, err := leg.from.QP.PostSend(leg.wr); err != nil {
			t.Fatal(err)
		}
		pollSuccess(t, leg.from.SendCQ.CQ, h.wc)
		pollSuccess(t, leg.to.RecvCQ.CQ, h.wc)
	}
}

// TestDataPathDoesNotAllocate covers PostSend, PostRecv, Poll and PollSpin.
func TestDataPathDoesNotAllocate(t *testing.T) {
	for _, device := range devices {
		t.Run(device, func(t *testing.T) {
			w, p := newPreparedPair(t, device, 4096), newPreparedPair(t, device, 0)
			for name, f := range map[string]func(testing.TB){"write": w.writeAndPoll, "ping-pong": p.pingPong} {
				f(t) // the first request maps the peer's memory
				if n := testing.AllocsPerRun(200, func() { f(t) }); n != 0 {
					t.Errorf("%s allocates %v times", name, n)
				}
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, device := range listed {
		for _, size := range []int{8, 4096, 65536} {
			b.Run(fmt.Sprintf("%s/%d", device, size), func(b *testing.B) {
				h := newPreparedPair(b, device, size)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					h.writeAndPoll(b)
				}
			})
		}
	}
}

// BenchmarkSendPingPong measures round trips within one thread: the device's own cost, without the
// transfer of cache lines between cores.
func BenchmarkSendPingPong(b *testing.B) {
	h := newPreparedPair(b, "shm_whole", 0)
	b.ReportAllocs()
	for b.Loop() {
		h.pingPong(b)
	}
}

// BenchmarkBurst posts lists of requests, the last of each signaled, as a bandwidth test does. One
// op is one request.
func BenchmarkBurst(b *testing.B) {
	const burst = 100
	for _, size := range []int{8, 4096, 65536} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			h := newPreparedPair(b, "shm_whole", size)
			list := must(verbs.Make[verbs.SendWR](burst))(b)
			for i := range list {
				list[i] = *h.write
				if list[i].SendFlags = 0; i+1 < burst {
					list[i].Next = &list[i+1]
				}
			}
			list[burst-1].SendFlags = verbs.SendSignaled
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for done := 0; done < b.N; done += burst {
				if _, err := h.a.QP.PostSend(&list[0]); err != nil {
					b.Fatal(err)
				}
				pollSuccess(b, h.a.SendCQ.CQ, h.wc)
			}
		})
	}
}

// BenchmarkPost posts single requests of 8 bytes, as a latency test does.
func BenchmarkPost(b *testing.B) {
	for name, flag := range map[string]verbs.SendFlags{"registered": 0, "inline": verbs.SendInline} {
		b.Run(name, func(b *testing.B) {
			h := newPreparedPair(b, "shm_whole", 8)
			for i := range b.N {
				h.write.SendFlags = flag
				if i%64 == 63 {
					h.write.SendFlags |= verbs.SendSignaled
				}
				if _, err := h.a.QP.PostSend(h.write); err != nil {
					b.Fatal(err)
				}
				if i%64 == 63 {
					pollSuccess(b, h.a.SendCQ.CQ, h.wc)
				}
			}
		})
	}
}

// receiver is a queue that takes receives.
type receiver interface {
	PostRecv(*verbs.RecvWR) (*verbs.RecvWR, error)
}

// useSRQ replaces both sides, with the receiving QP on an SRQ.
func (h *preparedPair) useSRQ(t testing.TB) verbs.SRQ {
	a, b := newSide(t, h.a.config()), newSide(t, h.b.config())
	srq := must(b.PD.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 64, MaxSGE: 1}}))(t)
	t.Cleanup(func() { noError(t, srq.Close()) })
	b.QP = must(b.PD.CreateQP(&verbs.QPInitAttr{SendCQ: b.SendCQ.CQ, RecvCQ: b.RecvCQ.CQ, Cap: b.Config.Cap, Type: b.Config.Type, SRQ: srq}))(t)
	t.Cleanup(func() { noError(t, b.QP.Close()) })
	fixture.Connect(a, b)
	h.a, h.b = a, b
	*h.send.SGList = a.SGE(0, 8)
	return srq
}

// BenchmarkSends posts lists of receives and as many SENDs, and polls their completions, as both
// sides of a bandwidth test do, in one thread. One op is one message.
func BenchmarkSends(b *testing.B) {
	b.Run("own", func(b *testing.B) {
		h := newPreparedPair(b, "shm_whole", 8)
		h.sends(b, h.b.QP)
	})
	b.Run("shared", func(b *testing.B) {
		h := newPreparedPair(b, "shm_whole", 8)
		h.sends(b, h.useSRQ(b))
	})
}

func (h *preparedPair) sends(b *testing.B, to receiver) {
	const burst = 32
	sends, recvs := must(verbs.Make[verbs.SendWR](burst))(b), must(verbs.Make[verbs.RecvWR](burst))(b)
	into := fixture.NewRequests(b).RecvList([]recv{{SGEs: []verbs.SGE{h.b.SGE(0, 8)}}})
	wc := must(verbs.Make[verbs.WC](burst))(b)
	for i := range burst {
		sends[i], recvs[i] = *h.send, *into
		sends[i].SendFlags = 0
		if i+1 < burst {
			sends[i].Next, recvs[i].Next = &sends[i+1], &recvs[i+1]
		}
	}
	sends[burst-1].SendFlags = verbs.SendSignaled
	b.ReportAllocs()
	for done := 0; done < b.N; done += burst {
		if _, err := to.PostRecv(&recvs[0]); err != nil {
			b.Fatal(err)
		}
		if _, err := h.a.QP.PostSend(&sends[0]); err != nil {
			b.Fatal(err)
		}
		for left := burst; left > 0; {
			n, err := h.b.RecvCQ.Poll(wc)
			if err != nil {
				b.Fatal(err)
			}
			if left -= n; n == 0 { // the first message waits until a receive is supplied
				h.a.SendCQ.Poll(wc[:0])
			}
		}
		pollSuccess(b, h.a.SendCQ.CQ, h.wc)
	}
}

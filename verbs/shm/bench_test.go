package shm_test

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// hot is a pair with its requests built beforehand, as a timed loop has it.
type hot struct {
	a, b  *side
	write *verbs.SendWR
	send  *verbs.SendWR
	recv  *verbs.RecvWR
	reply *verbs.SendWR
	wc    []verbs.WC
}

func newHot(t testing.TB, device string, size int) *hot {
	t.Helper()
	c := conf()
	c.device, c.size, c.cap.MaxSendWR = device, max(1<<16, size), 128
	a, b := pair(t, c)
	one := func(s, peer *side, op verbs.Opcode) *verbs.SendWR {
		return newRequests(t).sendList([]send{
			send{op: op, flags: verbs.SendSignaled, sges: []verbs.SGE{s.sge(0, size)}}.toward(peer, 0),
		})
	}
	return &hot{
		a: a, b: b, write: one(a, b, verbs.OpRDMAWrite), send: one(a, b, verbs.OpSend), reply: one(b, a, verbs.OpSend),
		recv: newRequests(t).recvList([]recv{{sges: nil}}), wc: must(verbs.Make[verbs.WC](4))(t),
	}
}

func drain(t testing.TB, cq verbs.CQ, wc []verbs.WC) {
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

func (h *hot) writeAndPoll(t testing.TB) {
	if _, err := h.a.qp.PostSend(h.write); err != nil {
		t.Fatal(err)
	}
	drain(t, h.a.sendCQ, h.wc)
}

// pingPong sends an empty message there and back in one thread.
func (h *hot) pingPong(t testing.TB) {
	for _, leg := range [2]struct {
		from, to *side
		wr       *verbs.SendWR
	}{{h.a, h.b, h.send}, {h.b, h.a, h.reply}} {
		if _, err := leg.to.qp.PostRecv(h.recv); err != nil {
			t.Fatal(err)
		}
		if _, err := leg.from.qp.PostSend(leg.wr); err != nil {
			t.Fatal(err)
		}
		drain(t, leg.from.sendCQ, h.wc)
		drain(t, leg.to.recvCQ, h.wc)
	}
}

// TestHotPathAllocatesNothing covers PostSend, PostRecv, Poll and PollSpin.
func TestHotPathAllocatesNothing(t *testing.T) {
	for _, device := range devices {
		t.Run(device, func(t *testing.T) {
			w, p := newHot(t, device, 4096), newHot(t, device, 0)
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
				h := newHot(b, device, size)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					h.writeAndPoll(b)
				}
			})
		}
	}
}

// BenchmarkSendPingPong counts round trips within one thread: the device's own
// cost, without the time that a cache line takes to another core.
func BenchmarkSendPingPong(b *testing.B) {
	h := newHot(b, "shm_whole", 0)
	b.ReportAllocs()
	for b.Loop() {
		h.pingPong(b)
	}
}

// BenchmarkBurst posts lists of requests, the last of each signaled, as a bandwidth
// test does. An op is one request.
func BenchmarkBurst(b *testing.B) {
	const burst = 100
	for _, size := range []int{8, 4096, 65536} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			h := newHot(b, "shm_whole", size)
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
				if _, err := h.a.qp.PostSend(&list[0]); err != nil {
					b.Fatal(err)
				}
				drain(b, h.a.sendCQ, h.wc)
			}
		})
	}
}

// BenchmarkPost posts requests of 8 bytes one by one, as a latency test does.
func BenchmarkPost(b *testing.B) {
	for name, flag := range map[string]verbs.SendFlags{"registered": 0, "inline": verbs.SendInline} {
		b.Run(name, func(b *testing.B) {
			h := newHot(b, "shm_whole", 8)
			for i := range b.N {
				h.write.SendFlags = flag
				if i%64 == 63 {
					h.write.SendFlags |= verbs.SendSignaled
				}
				if _, err := h.a.qp.PostSend(h.write); err != nil {
					b.Fatal(err)
				}
				if i%64 == 63 {
					drain(b, h.a.sendCQ, h.wc)
				}
			}
		})
	}
}

// receiver is what receives are posted to.
type receiver interface {
	PostRecv(*verbs.RecvWR) (*verbs.RecvWR, error)
}

// shareReceives gives the receiving side another QP, on an SRQ.
func (h *hot) shareReceives(t testing.TB) verbs.SRQ {
	a, b := newSide(t, h.a.conf), newSide(t, h.b.conf)
	srq := must(b.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 64, MaxSGE: 1}}))(t)
	t.Cleanup(func() { noError(t, srq.Close()) })
	b.qp = must(b.pd.CreateQP(&verbs.QPInitAttr{SendCQ: b.sendCQ, RecvCQ: b.recvCQ, Cap: b.conf.cap, Type: b.conf.typ, SRQ: srq}))(t)
	t.Cleanup(func() { noError(t, b.qp.Close()) })
	connect(t, a, b)
	h.a, h.b = a, b
	*h.send.SGList = a.sge(0, 8)
	return srq
}

// BenchmarkSends posts lists of receives, as many SENDs, and polls their completions, as both
// sides of a bandwidth test do, in one thread. An op is one message.
func BenchmarkSends(b *testing.B) {
	b.Run("own", func(b *testing.B) {
		h := newHot(b, "shm_whole", 8)
		h.sends(b, h.b.qp)
	})
	b.Run("shared", func(b *testing.B) {
		h := newHot(b, "shm_whole", 8)
		h.sends(b, h.shareReceives(b))
	})
}

func (h *hot) sends(b *testing.B, to receiver) {
	const burst = 32
	sends, recvs := must(verbs.Make[verbs.SendWR](burst))(b), must(verbs.Make[verbs.RecvWR](burst))(b)
	into := newRequests(b).recvList([]recv{{sges: []verbs.SGE{h.b.sge(0, 8)}}})
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
		if _, err := h.a.qp.PostSend(&sends[0]); err != nil {
			b.Fatal(err)
		}
		for left := burst; left > 0; {
			n, err := h.b.recvCQ.Poll(wc)
			if err != nil {
				b.Fatal(err)
			}
			if left -= n; n == 0 { // the first message waits for the receive that it asks for
				h.a.sendCQ.Poll(wc[:0])
			}
		}
		drain(b, h.a.sendCQ, h.wc)
	}
}

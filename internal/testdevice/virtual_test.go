package testdevice_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/verbs"
)

// delays are shapes of delays of a virtual clock.
var delays = map[string]testdevice.Delay{
	"constant": testdevice.Constant(1500),
	"uniform":  testdevice.Uniform(7, 100, 20_000),
	"stall":    testdevice.Stall(100, 900, time.Second),
}

// player sends message k of a ping-pong for a side, and waits for the peer's.
type player struct {
	fire   func(s, to *side, k int)
	arrive func(s *side, k int)
}

// play plays n round trips and returns the client's samples. The client reads its clock right after
// each post, and after the last arrival.
func (p player) play(client, server *side, clock *testdevice.Clock, n int) (samples []time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for k := range n {
			p.arrive(server, k)
			p.fire(server, client, k)
		}
	}()
	last := int64(0)
	for k := range n {
		p.fire(client, server, k)
		now := clock.Now()
		if k > 0 {
			samples = append(samples, time.Duration(now-last))
		}
		last = now
		p.arrive(client, k)
	}
	<-done
	return append(samples, time.Duration(clock.Now()-last))
}

const (
	rounds = 300
	ping   = 700 * time.Nanosecond // the client's delay
)

// checkSamples compares samples with the delays between two posts of the client: the answer's, and
// then its own.
func checkSamples(t *testing.T, samples []time.Duration, answer func(n uint64) time.Duration) {
	t.Helper()
	if len(samples) != rounds {
		t.Fatalf("%d samples", len(samples))
	}
	for i, got := range samples {
		want := answer(uint64(i))
		if i < rounds-1 {
			want += ping
		}
		if got != want {
			t.Fatalf("sample %d is %v, want %v", i, got, want)
		}
	}
}

// TestVirtualPingPongByCompletions: a client that polls the CQ measures the sums of the delays of posts
// and arrivals.
func TestVirtualPingPongByCompletions(t *testing.T) {
	late := testdevice.Uniform(3, 0, 500)
	receives := func(n uint64, wc *verbs.WC) time.Duration {
		if wc.Opcode&verbs.WCRecv == 0 {
			return 0
		}
		return late(n)
	}
	for name, d := range delays {
		t.Run(name, func(t *testing.T) {
			a, b := testdevice.Clocks()
			client, server := pair(t,
				testdevice.Options{Clock: a, PostDelay: testdevice.Constant(ping).Posts, ArrivalDelay: receives},
				testdevice.Options{Clock: b, PostDelay: d.Posts, ArrivalDelay: receives})
			client.expect(room)
			server.expect(room)
			p := player{
				fire: func(s, to *side, _ int) {
					s.post(s.list(to, verbs.OpSend, 1, 8))
					s.next(s.SendCQ)
				},
				arrive: func(s *side, _ int) {
					s.next(s.RecvCQ)
					s.expect(room)
				},
			}
			samples := p.play(client, server, a, rounds)
			checkSamples(t, samples, func(n uint64) time.Duration { return late(n) + d(n) + late(n) })
		})
	}
}

// TestVirtualPingPongByData: a client that spins on memory measures the sums of the delays of posts.
func TestVirtualPingPongByData(t *testing.T) {
	for name, d := range delays {
		t.Run(name, func(t *testing.T) {
			a, b := testdevice.Clocks()
			client, server := pair(t,
				testdevice.Options{Clock: a, PostDelay: testdevice.Constant(ping).Posts}, testdevice.Options{Clock: b, PostDelay: d.Posts})
			p := player{
				fire: func(s, to *side, k int) {
					word(s.Mem[from:]).Store(uint64(k) + 1)
					s.post(s.list(to, verbs.OpRDMAWrite, 1, 8))
					s.next(s.SendCQ)
				},
				arrive: func(s *side, k int) {
					for w := word(s.Mem[into:]); w.Load() != uint64(k)+1; {
						runtime.Gosched()
					}
				},
			}
			checkSamples(t, p.play(client, server, a, rounds), d)
		})
	}
}

// TestOneClockForBothSides: one clock for both sides advances by the delays of both.
func TestOneClockForBothSides(t *testing.T) {
	clock := new(testdevice.Clock)
	o := testdevice.Options{Clock: clock, PostDelay: testdevice.Constant(ping).Posts}
	client, server := pair(t, o, o)
	for range 10 {
		for _, s := range []*side{client, server} {
			s.post(s.list(map[*side]*side{client: server, server: client}[s], verbs.OpRDMAWrite, 3, 8))
			s.next(s.SendCQ)
		}
	}
	if want := int64(10 * 2 * 3 * ping); clock.Now() != want {
		t.Errorf("the time is %d, want %d", clock.Now(), want)
	}
}

// An empty poll takes no virtual time, and one that finds what is delayed takes it all.
func TestPollsOfAVirtualClock(t *testing.T) {
	clock := new(testdevice.Clock)
	client, server := pair(t, testdevice.Options{}, testdevice.Options{Clock: clock, ArrivalDelay: testdevice.Constant(time.Hour).Arrivals})
	for range 100 {
		if n, err := server.RecvCQ.PollSpin(server.RecvCQ.WC, 10); n != 0 || err != nil {
			t.Fatal(n, err)
		}
	}
	if clock.Now() != 0 {
		t.Errorf("empty polls took %d ns", clock.Now())
	}
	server.expect(room)
	client.post(client.list(server, verbs.OpSend, 1, 8))
	server.next(server.RecvCQ)
	if clock.Now() != int64(time.Hour) {
		t.Errorf("the arrival took %d ns", clock.Now())
	}
}

// A request takes as long as the rate allows its bytes.
func TestRate(t *testing.T) {
	clock := new(testdevice.Clock)
	client, server := pair(t, testdevice.Options{Clock: clock, PostDelay: testdevice.Rate(3_000_000_000)}, testdevice.Options{})
	for _, c := range []struct{ requests, bytes, ns int }{{1, 3000, 1000}, {4, 1500, 2000}, {1, 1, 1}, {2, 0, 0}} {
		before := clock.Now()
		client.post(client.list(server, verbs.OpRDMAWrite, c.requests, c.bytes))
		if got := clock.Now() - before; got != int64(c.ns) {
			t.Errorf("%d requests of %d bytes: %d ns, want %d", c.requests, c.bytes, got, c.ns)
		}
		client.next(client.SendCQ)
	}
}

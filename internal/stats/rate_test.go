package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ibperf/ibperf/reports/result"
)

// bruteForce returns the highest rate between any two edges at least window
// messages apart, spans without time left out.
func bruteForce(edges []point, window uint64) float64 {
	var best float64
	for j := range edges {
		for i := range j {
			if s := edges[i].to(edges[j]); s.messages >= window {
				best = max(best, s.rate())
			}
		}
	}
	return best
}

func TestPeakAgainstAllWindows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for round := range 3000 {
		window := 1 + rnd.IntN(12)
		r := NewRate(window)
		now := rnd.Int64N(1000)
		r.Start(now)
		edges := []point{{time: now}}
		most, slowest := 1+rnd.Uint64N(6), 1+rnd.Int64N(40)
		for range rnd.IntN(120) {
			n := 1 + rnd.Uint64N(most)
			now += 1 + rnd.Int64N(slowest)
			r.Edge(n, now)
			edges = append(edges, point{messages: edges[len(edges)-1].messages + n, time: now})
		}
		whole := edges[0].to(edges[len(edges)-1]).rate()
		bw := r.Bandwidth(4, "sender")
		near(t, "average", bw.Average, 4*whole, 1e-12)
		near(t, "peak", bw.Peak, 4*max(whole, bruteForce(edges, uint64(window))), 1e-12)
		if t.Failed() {
			t.Fatalf("round %d, window %d, edges %v", round, window, edges)
		}
	}
}

// Speeding up, slowing down, standing still and bursts are what fills the hull.
func TestPeakOfHardStreams(t *testing.T) {
	steps := map[string]func(i int) (uint64, int64){
		"faster":  func(i int) (uint64, int64) { return 1, int64(2000 - i) },
		"slower":  func(i int) (uint64, int64) { return 1, int64(i + 1) },
		"waves":   func(i int) (uint64, int64) { return 1, int64(1000 + 900*math.Sin(float64(i)/40)) },
		"still":   func(i int) (uint64, int64) { return 1, int64(i%3) / 2 },
		"bursts":  func(i int) (uint64, int64) { return 1 + uint64(i%50/49*300), int64(50 - i%50) },
		"no time": func(int) (uint64, int64) { return 3, 0 },
	}
	for name, step := range steps {
		for _, window := range []int{1, 2, 7, 100, 5000} {
			r := NewRate(window)
			r.Start(0)
			edges := []point{{}}
			for i := range 1500 {
				n, ns := step(i)
				last := edges[len(edges)-1]
				edges = append(edges, point{messages: last.messages + n, time: last.time + ns})
				r.Edge(n, last.time+ns)
			}
			bw := r.Bandwidth(1, "receiver")
			if bw.Peak < bw.Average || math.IsInf(bw.Peak, 0) {
				t.Errorf("%s: peak %g, average %g", name, bw.Peak, bw.Average)
			}
			if name != "still" { // many edges at one time: windows without time hide others
				near(t, name, bw.Peak, max(bw.Average, bruteForce(edges, uint64(window))), 1e-12)
			}
		}
	}
}

func TestRateOfLittle(t *testing.T) {
	never := NewRate(3)
	never.Edge(5, 100)
	started := NewRate(0)
	started.Start(100)
	started.Edge(0, 500)
	atOnce := NewRate(-1)
	atOnce.Start(100)
	atOnce.Edge(7, 100)
	back := NewRate(1)
	back.Start(100)
	back.Edge(7, 50)
	for i, r := range []*Rate{new(Rate), never, started, atOnce, back} {
		bw := r.Bandwidth(8, "sender")
		if bw.Average != 0 || bw.Peak != 0 || bw.MsgRate != 0 || bw.Seconds != 0 {
			t.Errorf("%d: %+v", i, bw)
		}
		if bw.Messages != r.Messages() || bw.Bytes != 8*bw.Messages {
			t.Errorf("%d: %+v of %d messages", i, bw, r.Messages())
		}
	}
}

func TestRateOfOneEdge(t *testing.T) {
	r := NewRate(1000)
	r.Start(1_000_000_000)
	r.Edge(10, 3_000_000_000)
	bw := r.Bandwidth(100, "receiver")
	near(t, "average", bw.Average, 500, 0)
	near(t, "peak", bw.Peak, 500, 0)
	near(t, "rate", bw.MsgRate, 5, 0)
	near(t, "rate", r.MsgRate(), 5, 0)
	near(t, "seconds", bw.Seconds, 2, 0)
	if bw.Messages != 10 || bw.Bytes != 1000 || bw.MeasuredAt != "receiver" {
		t.Errorf("%+v", bw)
	}
}

func TestStartAgain(t *testing.T) {
	r := NewRate(2)
	r.Start(0)
	for i := range int64(10) {
		r.Edge(4, i+1)
	}
	r.Start(1000)
	r.Edge(2, 2000)
	bw := r.Bandwidth(1, "sender")
	near(t, "average", bw.Average, 2e6, 0)
	near(t, "peak", bw.Peak, 2e6, 0)
}

func TestEdgeDoesNotAllocate(t *testing.T) {
	r := NewRate(64)
	r.Start(0)
	var now int64
	if n := testing.AllocsPerRun(10_000, func() { now += now%7 + 1; r.Edge(uint64(now%3)+1, now) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func benchmarkEdge(b *testing.B, vary uint) {
	r := NewRate(128)
	r.Start(0)
	b.ReportAllocs()
	now, x := int64(0), uint32(1)
	for b.Loop() {
		x = x*1664525 + 1013904223
		now += int64(x>>(32-vary)) + 100
		r.Edge(1, now)
	}
}

func BenchmarkEdgeRegular(b *testing.B) { benchmarkEdge(b, 0) }
func BenchmarkEdgeRandom(b *testing.B)  { benchmarkEdge(b, 8) }

// A rate is a mean latency as well, and no more than that.
func TestLatencyOfARate(t *testing.T) {
	r := NewRate(1)
	r.Start(1000)
	if l := r.Latency(0.5); l != nil {
		t.Errorf("without messages: %+v", l)
	}
	r.Edge(1024, 201_000)
	r.Edge(976, 401_000)
	if l := r.Latency(0.5); *l != (result.Latency{N: 2000, MeanNs: 100, Factor: 0.5, MeanOnly: true}) {
		t.Errorf("%+v", l)
	}
}

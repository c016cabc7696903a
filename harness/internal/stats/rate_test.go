package stats

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/result"
)

// batch is a number of messages that completed between two readings of the clock.
type batch struct {
	messages uint64
	from, to int64
}

// stream returns batches of random sizes and distances after start.
func stream(rnd *rand.Rand, start int64) []batch {
	most := 1 + rnd.Uint64N(2000)
	apart := []int64{3, 1000, Window / 3, Window, 5 * Window}[rnd.IntN(5)]
	batches := make([]batch, rnd.IntN(300))
	for i := range batches {
		batches[i] = batch{1 + rnd.Uint64N(most), start, start + rnd.Int64N(apart+1)}
		start = batches[i].to
	}
	return batches
}

// shares returns the messages of each complete window after start. The messages of a batch are divided
// in proportion to its time in each window.
func shares(start int64, batches []batch) []float64 {
	if len(batches) == 0 {
		return nil
	}
	windows := make([]float64, (batches[len(batches)-1].to-start)/Window)
	for _, e := range batches {
		for i := range windows {
			begin := start + int64(i)*Window
			switch end := begin + Window; {
			case e.from == e.to && begin <= e.to && e.to < end:
				windows[i] += float64(e.messages)
			case e.from < e.to:
				common := max(min(e.to, end)-max(e.from, begin), 0)
				windows[i] += float64(e.messages) * float64(common) / float64(e.to-e.from)
			}
		}
	}
	return windows
}

// Merged rounds of random streams have the windows that shares returns.
func TestWindowsAgainstShares(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	row, r := NewRate(), NewRate()
	for range 300 {
		row.Start(0)
		var windows []float64
		var messages uint64
		var ns int64
		brief := false
		for range 1 + rnd.IntN(4) {
			start := rnd.Int64N(1e10)
			r.Start(start)
			batches := stream(rnd, start)
			for _, e := range batches {
				r.Add(e.messages, e.to)
				messages += e.messages
				ns += e.to - e.from
			}
			whole := shares(start, batches)
			brief = brief || len(batches) > 0 && len(whole) == 0
			windows = append(windows, whole...)
			row.Merge(r)
		}
		if brief {
			windows = nil
		}
		checkWindows(t, row.Bandwidth(1000, "sender"), windows)
		if row.Messages() != messages || row.ns() != ns {
			t.Errorf("%d messages in %d ns, want %d in %d", row.Messages(), row.ns(), messages, ns)
		}
	}
}

// checkWindows compares windows of messages of 1000 bytes.
func checkWindows(t *testing.T, b *result.Bandwidth, windows []float64) {
	t.Helper()
	if len(windows) == 0 {
		if b.Slowest != 0 || b.MedianWindow != 0 || b.Peak != 0 || b.WindowS != 0 {
			t.Errorf("without a complete window: %+v", b)
		}
		return
	}
	slices.Sort(windows)
	near(t, "slowest", b.Slowest, min(windows[0]*1e6, b.Average), 1e-9)
	near(t, "median", b.MedianWindow, windows[(len(windows)-1)/2]*1e6, 1e-3)
	near(t, "peak", b.Peak, max(windows[len(windows)-1]*1e6, b.Average), 1e-9)
	near(t, "window", b.WindowS, 1e-3, 0)
	if b.Slowest > b.MedianWindow || b.MedianWindow > b.Peak {
		t.Errorf("not in order: %+v", b)
	}
}

// If messages complete at one rate, no window is faster, whenever the clock is read.
func TestNoWindowIsFasterThanTheStream(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	r := NewRate()
	for _, pace := range []int64{1, 7, 130, 99_991, 3_333_333} {
		for range 20 {
			batch := 1 + rnd.Uint64N(uint64(max(1, 4*Window/pace)))
			now := rnd.Int64N(1e12)
			r.Start(now)
			for range 200 {
				n := 1 + rnd.Uint64N(batch)
				now += int64(n) * pace
				r.Add(n, now)
			}
			if b := r.Bandwidth(1, "sender"); b.WindowS > 0 {
				near(t, "slowest", b.Slowest, 1e9/float64(pace), 1e-9)
				near(t, "median", b.MedianWindow, 1e9/float64(pace), 1e-9)
				near(t, "peak", b.Peak, 1e9/float64(pace), 1e-9)
			}
		}
	}
}

func TestRateOfLittle(t *testing.T) {
	never := NewRate()
	never.Add(5, 100)
	never.Add(5, -100)
	started := NewRate()
	started.Start(100)
	started.Add(0, 500)
	atOnce := NewRate()
	atOnce.Start(100)
	atOnce.Add(7, 100)
	back := NewRate()
	back.Start(100)
	back.Add(7, 50)
	for i, r := range []*Rate{never, started, atOnce, back} {
		bw := r.Bandwidth(8, "sender")
		if bw.Average != 0 || bw.Peak != 0 || bw.MsgRate != 0 || bw.Seconds != 0 {
			t.Errorf("%d: %+v", i, bw)
		}
		if want := []uint64{0, 0, 7, 7}[i]; bw.Messages != want || bw.Bytes != 8*want {
			t.Errorf("%d: %+v", i, bw)
		}
	}
}

func TestRateOfOneBatch(t *testing.T) {
	r := NewRate()
	r.Start(1_000_000_000)
	r.Add(10, 3_000_000_000)
	bw := r.Bandwidth(100, "receiver")
	near(t, "average", bw.Average, 500, 0)
	near(t, "slowest", bw.Slowest, 500, 1e-12)
	near(t, "peak", bw.Peak, 500, 1e-12)
	near(t, "rate", bw.MsgRate, 5, 0)
	near(t, "rate", r.MsgRate(), 5, 0)
	near(t, "seconds", bw.Seconds, 2, 0)
	if bw.Messages != 10 || bw.Bytes != 1000 || bw.MeasuredAt != "receiver" {
		t.Errorf("%+v", bw)
	}
}

func TestStartForgets(t *testing.T) {
	r := NewRate()
	r.Start(0)
	for i := range int64(10) {
		r.Add(4, (i+1)*Window)
	}
	r.Start(1000)
	r.Add(2, 2000)
	bw := r.Bandwidth(1, "sender")
	near(t, "average", bw.Average, 2e6, 0)
	near(t, "peak", bw.Peak, 0, 0)
}

// The remainder after the last complete window may be faster than all windows.
func TestPeakIsNotBelowTheAverage(t *testing.T) {
	r := NewRate()
	r.Start(0)
	r.Add(10, Window)
	r.Add(990, Window+Window/2)
	bw := r.Bandwidth(1, "sender")
	near(t, "average", bw.Average, 1000/1.5e-3, 1e-12)
	near(t, "peak", bw.Peak, bw.Average, 0)
	near(t, "slowest", bw.Slowest, 10/1e-3, 1e-12)
}

// If most rounds are shorter than a window, only the slow rounds have windows.
func TestWindowsOfSomeRoundsStandForNone(t *testing.T) {
	row, r := NewRate(), NewRate()
	for _, ns := range []int64{Window / 2, 3 * Window} {
		r.Start(0)
		r.Add(100, ns)
		row.Merge(r)
	}
	if bw := row.Bandwidth(1, "sender"); bw.Peak != 0 || bw.Slowest != 0 || bw.MedianWindow != 0 || bw.WindowS != 0 {
		t.Errorf("%+v", bw)
	}
}

func TestAddDoesNotAllocate(t *testing.T) {
	r := NewRate()
	r.Start(0)
	var now int64
	if n := testing.AllocsPerRun(10_000, func() { now += now%7 + Window/5; r.Add(uint64(now%3)+1, now) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func benchmarkAdd(b *testing.B, vary uint) {
	r := NewRate()
	r.Start(0)
	b.ReportAllocs()
	now, x := int64(0), uint32(1)
	for b.Loop() {
		x = x*1664525 + 1013904223
		now += int64(x>>(32-vary)) + 100
		r.Add(1, now)
	}
}

func BenchmarkAddRegular(b *testing.B) { benchmarkAdd(b, 0) }
func BenchmarkAddRandom(b *testing.B)  { benchmarkAdd(b, 8) }

// The clock is read once in every window or less often.
func BenchmarkAddSparse(b *testing.B) { benchmarkAdd(b, 22) }

// A rate makes a mean latency, and no other statistic.
func TestLatencyOfARate(t *testing.T) {
	r := NewRate()
	r.Start(1000)
	if l := r.Latency(0.5); l != nil {
		t.Errorf("without messages: %+v", l)
	}
	r.Add(1024, 201_000)
	r.Add(976, 401_000)
	row := NewRate()
	row.Merge(r)
	row.Merge(r)
	if l := row.Latency(0.5); *l != (result.Latency{N: 4000, MeanNs: 100, Factor: 0.5, MeanOnly: true}) {
		t.Errorf("%+v", l)
	}
}

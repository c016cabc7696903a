package clock

import (
	"math"
	"runtime"
	"testing"
	"time"
)

// eachClock runs a test with each clock of this host.
func eachClock(t *testing.T, f func(t *testing.T, c *Clock)) {
	t.Helper()
	t.Run("CLOCK_MONOTONIC", func(t *testing.T) { f(t, newClock(false)) })
	t.Run("TSC", func(t *testing.T) { f(t, tscClock(t)) })
}

func tscClock(t testing.TB) *Clock {
	t.Helper()
	if !hasTSC {
		t.Skip("no invariant TSC")
	}
	return newClock(true)
}

func TestNowGoesForward(t *testing.T) {
	eachClock(t, func(t *testing.T, c *Clock) {
		first := c.Now()
		last := first
		for range 1_000_000 {
			now := c.Now()
			if now < last {
				t.Fatalf("Now went back from %d to %d", last, now)
			}
			last = now
		}
		if last <= first {
			t.Errorf("Now stood still at %d", first)
		}
	})
}

// A clock counts the same nanoseconds as the kernel's clock.
func TestNowKeepsTime(t *testing.T) {
	eachClock(t, func(t *testing.T, c *Clock) {
		const most = 200 // millionths
		before := time.Now()
		begin := c.Now()
		inside := time.Now()
		time.Sleep(time.Second)
		passed := time.Since(inside)
		counted := c.Now() - begin
		outside := time.Since(before)
		low := float64(passed) * (1 - most/1e6)
		high := float64(outside) * (1 + most/1e6)
		if n := float64(counted); n < low || n > high {
			t.Errorf("counted %d ns where %d to %d passed", counted, passed, outside)
		}
		if d := c.Drift(); math.Abs(d) > most {
			t.Errorf("a drift of %g millionths", d)
		}
	})
}

// All clocks have the same origin, whatever their source and whenever they were created.
func TestClocksAgree(t *testing.T) {
	tsc := tscClock(t)
	before := monotonic()
	now, later := tsc.Now(), newClock(true).Now()
	after := monotonic()
	const most = 10_000 // ns
	for _, ns := range []int64{now, later} {
		if ns < before-most || ns > after+most {
			t.Errorf("%d ns by the TSC within %d to %d", ns, before, after)
		}
	}
}

// Drift returns the error of a clock whose rate is wrong.
func TestDrift(t *testing.T) {
	for _, millionths := range []float64{-20_000, 3000} {
		c := tscClock(t)
		c.mult = uint64(float64(c.mult) * (1 + millionths/1e6))
		time.Sleep(50 * time.Millisecond)
		if d := c.Drift(); math.Abs(d-millionths) > 200 {
			t.Errorf("a drift of %g millionths, want %g", d, millionths)
		}
	}
}

func TestSource(t *testing.T) {
	want := "virtual"
	if s := Func(func() int64 { return 0 }).Source(); s != want {
		t.Errorf("of a function: %q", s)
	}
	want = "CLOCK_MONOTONIC"
	if s := newClock(false).Source(); s != want {
		t.Errorf("without a TSC: %q", s)
	}
	if hasTSC {
		want = "TSC"
	}
	if s := New().Source(); s != want {
		t.Errorf("source %q, want %q", s, want)
	}
}

func TestThreadCPUCountsWork(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	wall, cpu := monotonic(), ThreadCPU()
	for ThreadCPU()-cpu < 2_000_000 {
		if monotonic()-wall > 60e9 {
			t.Fatal("a minute of spinning used less than 2 ms of CPU time")
		}
	}
	used := ThreadCPU() - cpu
	if passed := monotonic() - wall; used > passed+1_000_000 {
		t.Errorf("%d ns of CPU time within %d ns", used, passed)
	}
}

func TestOverhead(t *testing.T) {
	eachClock(t, func(t *testing.T, c *Clock) {
		if ns := c.Overhead(); ns <= 0 || ns > 100_000 {
			t.Errorf("a call of Now costs %g ns", ns)
		}
	})
}

func TestStep(t *testing.T) {
	eachClock(t, func(t *testing.T, c *Clock) {
		if ns := c.Step(); ns < 1 || ns > 100_000 {
			t.Errorf("the clock steps by %g ns", ns)
		}
	})
	for _, step := range []int64{0, 1, 10, 4_000_000} {
		var reading int64
		c := Func(func() int64 { reading += 3; return reading / 10 * step })
		if ns := c.Step(); ns != float64(step) {
			t.Errorf("a clock that steps by %d ns: %g", step, ns)
		}
	}
}

// A rare step of another size is not the resolution of the clock.
func TestStepOfAnUnevenClock(t *testing.T) {
	var reading int64
	c := Func(func() int64 {
		reading++
		return reading*10 - reading/20%2*9 // a step of 1 in 40, and one of 19
	})
	if ns := c.Step(); ns != 10 {
		t.Errorf("a clock that steps by 10 ns: %g", ns)
	}
}

// A clock of a function returns the function's time to the nanosecond.
func TestFunc(t *testing.T) {
	now := int64(1000)
	c := Func(func() int64 { return now })
	if c.Now() != 1000 {
		t.Errorf("%d ns, want 1000", c.Now())
	}
	now += 12345
	if c.Now() != 13345 || c.Drift() != 0 || c.Overhead() != 0 {
		t.Errorf("%d ns, a drift of %g, a cost of %g", c.Now(), c.Drift(), c.Overhead())
	}
}

func TestNothingAllocates(t *testing.T) {
	eachClock(t, func(t *testing.T, c *Clock) {
		var sink int64
		n := testing.AllocsPerRun(100, func() { sink += c.Now() + ThreadCPU() + int64(c.Overhead()+c.Drift()+c.Step()) })
		if n != 0 {
			t.Errorf("%g allocations", n)
		}
	})
}

func BenchmarkNow(b *testing.B) {
	b.Run("TSC", func(b *testing.B) { benchmarkNow(b, tscClock(b)) })
	b.Run("CLOCK_MONOTONIC", func(b *testing.B) { benchmarkNow(b, newClock(false)) })
}

func benchmarkNow(b *testing.B, c *Clock) {
	b.ReportAllocs()
	for b.Loop() {
		c.Now()
	}
}

func BenchmarkSince(b *testing.B) {
	for b.Loop() {
		_ = time.Since(base)
	}
}

func BenchmarkThreadCPU(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ThreadCPU()
	}
}

func BenchmarkOverhead(b *testing.B) {
	c := New()
	for b.Loop() {
		c.Overhead()
	}
}

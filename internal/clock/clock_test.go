package clock

import (
	"runtime"
	"testing"
	"time"
)

func TestNowGoesForward(t *testing.T) {
	begin := time.Now()
	first := Now()
	last := first
	for range 100_000 {
		now := Now()
		if now < last {
			t.Fatalf("Now went back from %d to %d", last, now)
		}
		last = now
	}
	if last <= first {
		t.Errorf("Now stood still at %d", first)
	}
	if passed := time.Since(begin).Nanoseconds(); last-first > passed {
		t.Errorf("Now counted %d ns of %d ns", last-first, passed)
	}
}

func TestThreadCPUCountsWork(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	wall, cpu := Now(), ThreadCPU()
	for ThreadCPU()-cpu < 2_000_000 {
		if Now()-wall > 60e9 {
			t.Fatal("a minute of spinning used less than 2 ms of CPU time")
		}
	}
	used := ThreadCPU() - cpu
	if passed := Now() - wall; used > passed+1_000_000 {
		t.Errorf("%d ns of CPU time within %d ns", used, passed)
	}
}

func TestOverhead(t *testing.T) {
	if ns := Overhead(); ns <= 0 || ns > 100_000 {
		t.Errorf("a call of Now costs %g ns", ns)
	}
}

func TestNothingAllocates(t *testing.T) {
	var sink int64
	if n := testing.AllocsPerRun(100, func() { sink += Now() + ThreadCPU() + int64(Overhead()) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkNow(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Now()
	}
}

func BenchmarkThreadCPU(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ThreadCPU()
	}
}

func BenchmarkOverhead(b *testing.B) {
	for b.Loop() {
		Overhead()
	}
}

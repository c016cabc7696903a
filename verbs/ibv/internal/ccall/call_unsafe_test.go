//go:build amd64 || arm64

package ccall

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// machineCode makes a function of C of its instructions.
func machineCode(t testing.TB, code []byte) unsafe.Pointer {
	t.Helper()
	m, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	copy(m, code)
	if err := unix.Mprotect(m, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		t.Skip("this host makes no memory executable:", err)
	}
	t.Cleanup(func() { _ = unix.Munmap(m) }) // the test is over
	return unsafe.Pointer(unsafe.SliceData(m))
}

// newStacks makes stacks for the Ps that there are, and no more.
func newStacks(t *testing.T) *Stacks {
	t.Helper()
	s, err := allocate(max(runtime.NumCPU(), runtime.GOMAXPROCS(0)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStack: the function gets its argument and a stack as the ABI wants it.
func TestStack(t *testing.T) {
	s := newStacks(t)
	var sp uintptr
	if !s.Call(machineCode(t, tellStack), unsafe.Pointer(&sp)) {
		t.Fatal("no stack")
	}
	low := uintptr(unsafe.Pointer(unsafe.SliceData(s.memory)))
	if sp < low || sp >= low+uintptr(len(s.memory)) || sp%16 != pushed {
		t.Errorf("stack pointer %#x: want one in the stacks at %#x, %d more than a multiple of 16", sp, low, pushed)
	}
}

// TestRaisedGOMAXPROCS: Ps that come after New have stacks, too.
func TestRaisedGOMAXPROCS(t *testing.T) {
	spin := machineCode(t, spinner)
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	old := runtime.GOMAXPROCS(0)
	const more = 3
	runtime.GOMAXPROCS(max(old, runtime.NumCPU()) + more)
	defer runtime.GOMAXPROCS(old)
	spinning := runtime.GOMAXPROCS(0) - 1 // and this goroutine
	var word struct{ stop, begun atomic.Uint64 }
	var all sync.WaitGroup
	for range spinning {
		all.Go(func() {
			if !s.Call(spin, unsafe.Pointer(&word)) {
				word.begun.Add(1)
				t.Error("a P has no stack")
			}
		})
	}
	for word.begun.Load() < uint64(spinning) {
		runtime.Gosched()
	}
	word.stop.Store(1)
	all.Wait()
}

// TestSignals: functions that spin are not disturbed by signals, and a call on a P
// without a stack is refused.
func TestSignals(t *testing.T) {
	spin := machineCode(t, spinner)
	s := newStacks(t)
	stacks := len(s.Memory()) / Each
	old := runtime.GOMAXPROCS(stacks + 1)
	defer runtime.GOMAXPROCS(old)
	var word struct{ stop, begun atomic.Uint64 }
	var all sync.WaitGroup
	for range stacks {
		all.Go(func() {
			for !s.Call(spin, unsafe.Pointer(&word)) {
				runtime.Gosched() // to another P
			}
		})
	}
	for word.begun.Load() < uint64(stacks) {
		runtime.Gosched()
	}
	if s.Call(spin, unsafe.Pointer(&word)) {
		t.Error("more calls than stacks")
	}
	for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); {
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGURG); err != nil {
			t.Fatal(err)
		}
	}
	word.stop.Store(1)
	all.Wait()
}

// BenchmarkCall tells what a call costs in time of CPUs, which does not depend on who
// else uses them; with -cpu 1,2 it reports whether threads share anything.
func BenchmarkCall(b *testing.B) {
	f := machineCode(b, nothing)
	s, err := New()
	if err != nil {
		b.Fatal(err)
	}
	before := cpuTime(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			s.Call(f, nil)
		}
	})
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/call")
}

// cpuTime returns the nanoseconds that the process has used CPUs.
func cpuTime(b *testing.B) int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return t.Nano()
}

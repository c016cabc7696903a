package harness

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// Both sides in one process may allocate mostAllocated bytes a second and mostOnce bytes once (the
// runtime does for an additional thread). The resident memory of the process may grow by mostGrowth bytes
// after the first third of the run.
const (
	mostAllocated = 1536
	mostOnce      = 8 << 10
	mostGrowth    = 256 << 10
)

// footprint holds what the process has allocated and its resident memory.
type footprint struct {
	at        time.Time
	allocated uint64
	heap      uint64
	resident  int // bytes
}

func takeFootprint(t *testing.T) footprint {
	t.Helper()
	// The kernel counts these pages. Those of statm are estimates, which are off by up to 64 pages for each CPU.
	rollup, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(rollup), "\nRss:")
	var resident int // KiB
	if _, err := fmt.Sscan(rest, &resident); err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m) // last, because the calls before it allocate too
	return footprint{time.Now(), m.TotalAlloc, m.HeapAlloc, resident << 10}
}

// A run may take days: neither its loops nor the goroutines beside them accumulate memory.
func TestMemoryIsFlat(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	const duration = 12 * time.Second
	for _, c := range []struct {
		mode option.Mode
		kind option.Kind
	}{
		{option.ModePoll, option.KindBandwidth}, {option.ModeEvent, option.KindLatency}, {option.ModeData, option.KindBandwidth},
	} {
		if c.mode == option.ModeData && !promised {
			continue
		}
		t.Run(string(c.mode)+"_"+string(c.kind), func(t *testing.T) {
			p := testPlan(option.OpWrite, c.kind, 64, 0)
			p.Completion, p.Duration = c.mode, duration
			first, last := footprintsOf(t, p)
			seconds := last.at.Sub(first.at).Seconds()
			allocated := last.allocated - first.allocated
			t.Logf("in %.1f s %d bytes were allocated, the heap grew by %d bytes and the process by %d KiB",
				seconds, allocated, int64(last.heap-first.heap), (last.resident-first.resident)>>10)
			if most := mostOnce + uint64(seconds*mostAllocated); allocated > most {
				t.Errorf("%d bytes were allocated in %.1f s, and %d may be", allocated, seconds, most)
			}
			if grown := last.resident - first.resident; grown > mostGrowth {
				t.Errorf("the process grew by %d KiB in %.1f s", grown>>10, seconds)
			}
		})
	}
}

// footprintsOf runs a plan over TCP and returns the footprints after a third of the time and
// shortly before the end.
func footprintsOf(t *testing.T, p option.Plan) (first, last footprint) {
	t.Helper()
	ran, begun := make(chan struct{}), make(chan struct{})
	conns := loopback(t)
	go func() {
		defer close(ran)
		_, errs := pair{device: "shm_whole", plan: p, conns: conns, wholeWarmUp: true, begin: func() { close(begun) }}.run(t)
		if errs[0] != nil || errs[1] != nil {
			t.Errorf("client: %v; server: %v", errs[0], errs[1])
		}
	}()
	look := func(share time.Duration) (f footprint) {
		select {
		case <-ran:
			t.Fatal("the run ended early")
		case <-time.After(share):
			f = takeFootprint(t)
		}
		return f
	}
	<-begun
	takeFootprint(t) // whose code is then in memory
	first = look(p.Duration / 3)
	last = look(p.Duration / 2)
	<-ran
	return first, last
}

// loopback returns both ends of a TCP connection, which real runs use.
func loopback(t *testing.T) (conns [2]*oob.Conn) {
	t.Helper()
	l, err := oob.Listen("127.0.0.1:0", oob.ListenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan error)
	go func() {
		var err error
		conns[1], err = l.Accept(context.Background())
		accepted <- err
	}()
	conns[0], err = oob.Dial(context.Background(), l.Addr().String(), oob.DialOptions{Timeout: time.Minute})
	if other := <-accepted; err != nil || other != nil {
		t.Fatal(err, other)
	}
	return conns
}

package harness

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/reports/result"
)

// What both sides in one process may allocate in a second beside their loops, and how
// much of the process may be in memory more at the end than after the first third.
const (
	mostAllocated = 2 << 10
	mostGrowth    = 256 << 10
)

// footprint is what the process has allocated and what it has in memory.
type footprint struct {
	at        time.Time
	allocated uint64
	heap      uint64
	resident  int // bytes
}

func takeFootprint(t *testing.T) footprint {
	t.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, resident int // pages
	if _, err := fmt.Sscan(string(statm), &size, &resident); err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m) // last: what comes before it allocates, too
	return footprint{time.Now(), m.TotalAlloc, m.HeapAlloc, resident * os.Getpagesize()}
}

// A run may last for days: nothing in it gathers, neither in its loops nor beside them.
func TestMemoryIsFlat(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	for _, c := range []struct {
		mode     Mode
		kind     string
		duration time.Duration
	}{
		{ModePoll, result.KindBandwidth, 20 * time.Second},
		{ModeEvent, result.KindLatency, 5 * time.Second},
		{ModeData, result.KindBandwidth, 5 * time.Second},
	} {
		if c.mode == ModeData && !promised {
			continue
		}
		t.Run(string(c.mode)+"_"+c.kind, func(t *testing.T) {
			p := testPlan(OpWrite, c.kind, 64, 0)
			p.Completion, p.Duration = c.mode, c.duration
			first, last := footprintsOf(t, p)
			seconds := last.at.Sub(first.at).Seconds()
			perSecond := float64(last.allocated-first.allocated) / seconds
			t.Logf("%.0f bytes a second are allocated; in %.1f s the heap grew by %d bytes and the process by %d KiB",
				perSecond, seconds, int64(last.heap-first.heap), (last.resident-first.resident)>>10)
			if perSecond > mostAllocated {
				t.Errorf("%.0f bytes a second are allocated", perSecond)
			}
			if grown := last.resident - first.resident; grown > mostGrowth {
				t.Errorf("the process grew by %d KiB in %.1f s", grown>>10, seconds)
			}
		})
	}
}

// footprintsOf runs a plan over TCP and looks at the process once a third of the time has
// passed, and shortly before the end.
func footprintsOf(t *testing.T, p Plan) (first, last footprint) {
	t.Helper()
	ran, begun := make(chan struct{}), make(chan struct{})
	conns := loopback(t)
	go func() {
		defer close(ran)
		_, errs := pair{device: "shm_whole", plan: p, conns: conns, begin: func() { close(begun) }}.run(t)
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
	first = look(p.Duration / 3)
	last = look(p.Duration / 2)
	<-ran
	return first, last
}

// loopback returns both ends of a connection over TCP, which is what runs use.
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
	conns[1].Trust()
	return conns
}

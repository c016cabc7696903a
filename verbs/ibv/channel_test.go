//go:build linux && cgo

package ibv

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/internal/testclock"
	"github.com/ibperf/ibperf/verbs"
)

// waiters are goroutines that wait on one channel until end is called.
type waiters struct {
	all    sync.WaitGroup
	stop   atomic.Bool
	events atomic.Int64
}

// wait starts n goroutines, which call GetEvent with timeout slice and count the events.
func (w *waiters) wait(t *testing.T, ch verbs.CompChannel, n int, slice time.Duration) {
	for range n {
		w.all.Go(func() {
			for !w.stop.Load() {
				began, watch := time.Now(), testclock.Start()
				cq, err := ch.GetEvent(slice)
				switch took := time.Since(began); {
				case err == nil && cq == nil:
					t.Error("an event without a CQ")
				case err == nil:
					w.events.Add(1)
					cq.AckEvents(1)
				case !errors.Is(err, verbs.ErrTimeout):
					t.Error(err)
					return
				case took < slice || watch.Took() > slice+patience:
					t.Errorf("a wait of %v ended after %v", slice, took)
				}
			}
		})
	}
}

func (w *waiters) end() {
	w.stop.Store(true)
	w.all.Wait()
}

// TestWaitersAndTheCollector: goroutines that wait for events of one channel do not delay
// garbage collections, and each event goes to one of them.
func TestWaitersAndTheCollector(t *testing.T) {
	if !onStub(t) {
		return
	}
	t.Setenv("STUB_EVENTS", "1")
	for _, n := range []int{2, 16} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			c := stubContext(t)
			ch := made(c.CreateCompChannel())(t)
			cq := made(c.CreateCQ(16, ch, 0))(t)
			var w waiters
			w.wait(t, ch, n, 20*time.Millisecond)
			raised := int64(0)
			for end := time.Now().Add(*length); time.Now().Before(end); raised++ {
				if err := cq.ReqNotify(false); err != nil {
					t.Fatal(err)
				}
				runtime.GC()
			}
			for end := time.Now().Add(patience); w.events.Load() < raised && time.Now().Before(end); {
				runtime.Gosched()
			}
			w.end()
			if got := w.events.Load(); got != raised {
				t.Errorf("%d events of %d", got, raised)
			}
			t.Logf("%d collections", raised)
			made(0, errors.Join(cq.Close(), ch.Close()))(t)
		})
	}
}

// sleeps counts how often a goroutine can sleep 100 µs within a time.
func sleeps(within time.Duration) (n int) {
	for end := time.Now().Add(within); time.Now().Before(end); n++ {
		time.Sleep(100 * time.Microsecond)
	}
	return n
}

// TestWaitersLeaveTheProcessors: with one waiter for each processor (P), other goroutines
// sleep and wake as often as without waiters. Other programs disturb both counts, so one
// success within the patience suffices.
func TestWaitersLeaveTheProcessors(t *testing.T) {
	if !onStub(t) {
		return
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	ch := made(stubContext(t).CreateCompChannel())(t)
	for end := time.Now().Add(patience); ; {
		alone := sleeps(200 * time.Millisecond)
		var w waiters
		w.wait(t, ch, 2, 5*time.Millisecond)
		beside := sleeps(200 * time.Millisecond)
		w.end()
		t.Logf("%d sleeps alone, %d beside waiters", alone, beside)
		if 2*beside > alone {
			break
		}
		if time.Now().After(end) {
			t.Errorf("%d sleeps of %d", beside, alone)
			break
		}
	}
	made(0, ch.Close())(t)
}

// TestChannelClosedAfterItsContext: its descriptor is closed, too.
func TestChannelClosedAfterItsContext(t *testing.T) {
	if !onStub(t) {
		return
	}
	c := made(testDevice(t).Open())(t)
	ch := made(c.CreateCompChannel())(t)
	fd := ch.FD()
	made(0, errors.Join(c.Close(), ch.Close()))(t)
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != unix.EBADF {
		t.Errorf("descriptor %d of the channel is open: %v", fd, err)
	}
}

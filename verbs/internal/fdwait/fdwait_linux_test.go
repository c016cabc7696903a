package fdwait

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// testTimeout bounds waits for events that must happen, on slow machines too.
const testTimeout = 20 * time.Second

// counter returns an eventfd and a waiter that takes one from it at a time.
func counter(t *testing.T) (fd int, w *Waiter[byte]) {
	t.Helper()
	fd, err := unix.Eventfd(0, unix.EFD_SEMAPHORE|unix.EFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	w, err = New(fd, "counter", func() (byte, error) {
		var b [8]byte
		_, err := unix.Read(fd, b[:])
		return b[0], err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fd, w
}

// awaitPollerTurn returns when a goroutine holds the turn to wait in the poller.
func awaitPollerTurn[T any](t *testing.T, w *Waiter[T]) {
	t.Helper()
	for end := time.Now().Add(testTimeout); len(w.turn) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no goroutine waits in the poller")
		}
	}
}

func add(t *testing.T, fd int, n byte) {
	t.Helper()
	if _, err := unix.Write(fd, []byte{n, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
}

func TestEachValueGoesToOneWaiter(t *testing.T) {
	const waiters, each = 8, 50
	fd, w := counter(t)
	var all sync.WaitGroup
	var got atomic.Int64
	for range waiters {
		all.Go(func() {
			for range each {
				if v, err := w.Wait(testTimeout); v != 1 || err != nil {
					t.Errorf("%d, %v", v, err)
					return
				}
				got.Add(1)
			}
		})
	}
	for range waiters * each / 10 {
		add(t, fd, 10)
	}
	all.Wait()
	if _, err := w.Wait(0); got.Load() != waiters*each || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d values were taken, then: %v", got.Load(), err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestShortWaitEndsBeforeLongOne covers two waits for one descriptor: the later, shorter one ends
// at its own deadline.
func TestShortWaitEndsBeforeLongOne(t *testing.T) {
	const short = 10 * time.Millisecond
	fd, w := counter(t)
	long := make(chan error, 1)
	go func() {
		_, err := w.Wait(testTimeout)
		long <- err
	}()
	awaitPollerTurn(t, w)
	began := time.Now()
	_, err := w.Wait(short)
	if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took < short || took > testTimeout/2 {
		t.Errorf("%v after %v", err, took)
	}
	add(t, fd, 1)
	if err := <-long; err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

func TestCloseEndsWaits(t *testing.T) {
	_, w := counter(t)
	ended := make(chan error)
	for range 3 {
		go func() {
			_, err := w.Wait(time.Hour)
			ended <- err
		}()
	}
	awaitPollerTurn(t, w)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	for range 3 {
		select {
		case err := <-ended:
			if !errors.Is(err, os.ErrClosed) && !errors.Is(err, syscall.EBADF) { // returned by take, before the wait
				t.Error(err)
			}
		case <-time.After(testTimeout):
			t.Fatal("Close did not end a wait")
		}
	}
}

func TestErrorOfTakeEndsWait(t *testing.T) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(fd, "broken", func() (int, error) { return 0, syscall.EIO })
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Wait(testTimeout); err != syscall.EIO {
		t.Error(err)
	}
}

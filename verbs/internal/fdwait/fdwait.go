// Package fdwait waits for file descriptors in the runtime's poller, as network
// connections do: a waiting goroutine occupies no thread and no processor. Any number of
// goroutines may wait for one descriptor, each with its own deadline.
package fdwait

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
)

// Waiter takes values of T from a file descriptor that is readable while there are values.
type Waiter[T any] struct {
	take func() (T, error)
	name string

	turn chan struct{} // full while a goroutine waits in the poller: a file has a single deadline
	read func(uintptr) bool
	got  T     // result of read; guarded by turn
	err  error // error of read; guarded by turn

	mu     sync.Mutex
	fd     int
	file   *os.File        // nil until the first wait; written by the holder of turn
	conn   syscall.RawConn // of file
	closed bool
}

// New returns a waiter that owns fd, which it makes non-blocking. take returns the next value, or
// syscall.EAGAIN if there is none. Any goroutine may call take at any time.
func New[T any](fd int, name string, take func() (T, error)) (*Waiter[T], error) {
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, errors.Join(os.NewSyscallError("fcntl", err), syscall.Close(fd))
	}
	w := &Waiter[T]{take: take, name: name, turn: make(chan struct{}, 1), fd: fd}
	w.read = func(uintptr) bool { // made once, so that repeated waits do not allocate
		w.got, w.err = w.take()
		return w.err != syscall.EAGAIN
	}
	return w, nil
}

// Wait returns the next value or the error of take, os.ErrDeadlineExceeded after timeout, or
// os.ErrClosed after Close.
func (w *Waiter[T]) Wait(timeout time.Duration) (got T, err error) {
	if got, err = w.take(); err != syscall.EAGAIN {
		return got, err
	}
	deadline := time.Now().Add(timeout)
	if timeout <= 0 || !w.begin(timeout) {
		return got, os.ErrDeadlineExceeded
	}
	defer func() { <-w.turn }()
	switch err = w.poll(deadline); {
	case err == nil:
		return w.got, w.err
	case errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrNoDeadline):
		return got, err
	}
	return got, os.ErrClosed // os.File has its own error for closed files
}

// poll waits in the poller until read returns true. The caller holds turn.
func (w *Waiter[T]) poll(deadline time.Time) error {
	if err := w.open(); err != nil {
		return err
	}
	if err := w.file.SetReadDeadline(deadline); err != nil {
		return err
	}
	return w.conn.Read(w.read)
}

// open registers the descriptor with the poller at the first wait. From then on every event of the
// descriptor also wakes the poller's thread; callers that wait by other means never pay for that.
func (w *Waiter[T]) open() (err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return os.ErrClosed
	case w.file == nil:
		w.file = os.NewFile(uintptr(w.fd), w.name)
		w.conn, err = w.file.SyscallConn()
	}
	return err
}

// begin waits for the turn to use the poller, and reports whether it got it within the timeout.
func (w *Waiter[T]) begin(timeout time.Duration) bool {
	select {
	case w.turn <- struct{}{}:
		return true
	default:
	}
	late := time.NewTimer(timeout)
	defer late.Stop()
	select {
	case w.turn <- struct{}{}:
		return true
	case <-late.C:
		return false
	}
}

// Close closes the descriptor and ends all waits.
func (w *Waiter[T]) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	again := w.closed
	w.closed = true
	switch {
	case again:
		return nil
	case w.file != nil:
		return w.file.Close()
	}
	return os.NewSyscallError("close", syscall.Close(w.fd))
}

// Package fdwait waits for file descriptors in the runtime's poller, as network
// connections do: a goroutine that waits holds no thread and no processor. Any number of
// goroutines may wait for one descriptor, each with a deadline of its own.
package fdwait

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
)

// Waiter takes values of T from a file descriptor that is readable while there are some.
type Waiter[T any] struct {
	take func() (T, error)
	name string

	turn chan struct{} // full while a goroutine waits in the poller: a file has one deadline
	read func(uintptr) bool
	got  T     // by read; guarded by turn
	err  error // of read; guarded by turn

	mu     sync.Mutex
	fd     int
	file   *os.File        // nil until the first wait; written by the goroutine whose turn it is
	conn   syscall.RawConn // of file
	closed bool
}

// New returns a waiter that owns fd, which it makes non-blocking. take is called by any
// goroutine at any time and returns the next value, or syscall.EAGAIN if there is none.
func New[T any](fd int, name string, take func() (T, error)) (*Waiter[T], error) {
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, errors.Join(os.NewSyscallError("fcntl", err), syscall.Close(fd))
	}
	w := &Waiter[T]{take: take, name: name, turn: make(chan struct{}, 1), fd: fd}
	w.read = func(uintptr) bool { // made once: who waits again and again leaves nothing behind
		w.got, w.err = w.take()
		return w.err != syscall.EAGAIN
	}
	return w, nil
}

// Wait returns the next value or the error of take, os.ErrDeadlineExceeded after timeout,
// or os.ErrClosed once the waiter is closed.
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
	return got, os.ErrClosed // for which a file's calls have an error of their own
}

// poll waits in the poller until read is true, and is the goroutine's whose turn it is.
func (w *Waiter[T]) poll(deadline time.Time) error {
	if err := w.open(); err != nil {
		return err
	}
	if err := w.file.SetReadDeadline(deadline); err != nil {
		return err
	}
	return w.conn.Read(w.read)
}

// open gives the descriptor to the poller at the first wait. From then on whatever makes it
// readable wakes the poller's thread too. Who waits for the descriptor in another way, and
// never here, does not pay for that.
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

// begin waits for the turn to wait in the poller, and is false if that took too long.
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

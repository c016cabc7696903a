// Package fdwait waits for file descriptors in the runtime's poller, as network
// connections do: a goroutine that waits holds no thread and no processor. Any number of
// goroutines may wait for one descriptor, each with a deadline of its own.
package fdwait

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// Waiter takes values of T from a file descriptor that is readable while there are some.
type Waiter[T any] struct {
	take func() (T, error)
	file *os.File
	conn syscall.RawConn

	turn chan struct{} // full while a goroutine waits in the poller: a file has one deadline
	read func(uintptr) bool
	got  T     // by read; guarded by turn
	err  error // of read; guarded by turn
}

// New returns a waiter that owns fd, which it makes non-blocking. take is called by any
// goroutine at any time and returns the next value, or syscall.EAGAIN if there is none.
func New[T any](fd int, name string, take func() (T, error)) (*Waiter[T], error) {
	if err := syscall.SetNonblock(fd, true); err != nil {
		syscall.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	w := &Waiter[T]{take: take, file: os.NewFile(uintptr(fd), name), turn: make(chan struct{}, 1)}
	w.read = func(uintptr) bool { // made once: who waits again and again leaves nothing behind
		w.got, w.err = w.take()
		return w.err != syscall.EAGAIN
	}
	var err error
	w.conn, err = w.file.SyscallConn()
	return w, err
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
	if err = w.file.SetReadDeadline(deadline); err == nil {
		err = w.conn.Read(w.read)
	}
	switch {
	case err == nil:
		return w.got, w.err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return got, err
	}
	return got, os.ErrClosed // for which these calls have an error of their own
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
func (w *Waiter[T]) Close() error { return w.file.Close() }

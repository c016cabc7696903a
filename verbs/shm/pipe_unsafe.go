package shm

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// System calls on a channel's pipe, made without telling the Go scheduler. One that is
// told, and takes longer than 20 us, loses its processor, and the thread has to get
// another one when it is woken: several microseconds in each event. None of them but
// awaitToken waits, whatever a peer does to the pipe: each process has opened it for itself,
// without blocking.

// token says which arming of which CQ has an event. The pipe takes or refuses it whole.
type token struct {
	cq    uint32
	mark  uint32
	armed uint64 // see notifier.arm
}

const tokenMark = 0x6c6c6562 // of every token

// writeToken fails with EAGAIN if the pipe is full.
func writeToken(fd int, t token) unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&t)), unsafe.Sizeof(t))
	return errno
}

// readToken returns the next token, EAGAIN if there is none, or EPROTO if something else is in
// the pipe, of which it takes as much as a token is.
func readToken(fd int) (t token, errno unix.Errno) {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&t)), unsafe.Sizeof(t))
	if errno == 0 && (n != unsafe.Sizeof(t) || t.mark != tokenMark) {
		errno = unix.EPROTO
	}
	return t, errno
}

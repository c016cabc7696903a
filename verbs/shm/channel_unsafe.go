package shm

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// System calls on a channel's pipe that bypass the Go scheduler. A system call that the scheduler
// knows of loses its processor after 20 us, and the thread then has to acquire another one when it
// wakes: several microseconds for each event. Only awaitToken blocks, even if a peer fills the
// pipe: each process has opened the pipe for itself with O_NONBLOCK.

// token identifies the arming of a CQ that has an event. The pipe accepts or refuses a token as a
// whole.
type token struct {
	cq    uint32
	mark  uint32
	armed uint64 // see package arming
}

const tokenMark = 0x6c6c6562 // the mark of every token

// writeToken fails with EAGAIN if the pipe is full.
func writeToken(fd int, t token) unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&t)), unsafe.Sizeof(t))
	return errno
}

// readToken returns the next token. It fails with EAGAIN if the pipe is empty, and with EPROTO if
// it read anything other than a token.
func readToken(fd int) (t token, errno unix.Errno) {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&t)), unsafe.Sizeof(t))
	if errno == 0 && (n != unsafe.Sizeof(t) || t.mark != tokenMark) {
		errno = unix.EPROTO
	}
	return t, errno
}

package shm

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// System calls on a channel's doors, made without telling the Go scheduler. One that is
// told, and takes longer than 20 us, loses its processor, and the thread has to get
// another one when it is woken: several microseconds in each event. None of them but
// awaitDoor waits, whatever a peer has done to its end.

// token says which arming of which CQ is rung for.
type token struct {
	cq    uint32
	_     uint32
	armed uint64 // see bell.arm
}

// sendToken sends a token, and fails with EAGAIN if the receiver has very many to read.
func sendToken(fd int, t token) unix.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(&t)), unsafe.Sizeof(t),
		unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
	return errno
}

// receiveToken returns the next token. EPROTO says that there will be none: the other end is
// closed, or sent something else.
func receiveToken(fd int) (t token, errno unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(&t)), unsafe.Sizeof(t),
		unix.MSG_DONTWAIT|unix.MSG_TRUNC, 0, 0)
	if errno == 0 && n != unsafe.Sizeof(t) {
		errno = unix.EPROTO
	}
	return t, errno
}

// awaitDoor waits until a door of the epoll descriptor has a token, for some milliseconds,
// which the garbage collector waits for. It may return early.
func awaitDoor(epoll int, ms int) (number int32, ok bool) {
	var e unix.EpollEvent
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT,
		uintptr(epoll), uintptr(unsafe.Pointer(&e)), 1, uintptr(ms), 0, 0)
	return e.Fd, errno == 0 && n == 1
}

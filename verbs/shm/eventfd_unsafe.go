package shm

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// System calls on a channel's eventfd, made without telling the Go scheduler. One
// that is told, and takes longer than 20 us, loses its processor, and the thread has
// to get another one when it is woken: several microseconds in each event.

// signal adds one to the count.
func signal(fd int) {
	one := uint64(1)
	unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&one)), unsafe.Sizeof(one))
}

// takeSignal takes one from the count, and is false if there is none.
func takeSignal(fd int) bool {
	var one uint64
	_, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&one)), unsafe.Sizeof(one))
	return errno == 0
}

// awaitSignal sleeps until the count is not 0, or for a time, which the garbage collector
// waits for. It may return early.
func awaitSignal(fd int, timeout time.Duration) {
	fds := unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	limit := unix.NsecToTimespec(int64(timeout))
	unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fds)), 1, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
}

package shm

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// System calls that only Linux has. On other systems the package builds, and its devices cannot be
// opened.

const pathOnly = unix.O_PATH // flag of open: opens the file without any side effect

func makePipe(ends *[2]int) error { return unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK) }

// awaitToken waits until fd is readable, at most for the time limit; the garbage collector waits
// for it too. It may return early.
func awaitToken(fd int, most time.Duration) {
	p := unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	limit := unix.NsecToTimespec(int64(most))
	unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
}

// makeEvent returns an eventfd, for signalEvent and awaitEvent.
func makeEvent() (fd int, err error) { return unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK) }

func signalEvent(fd int) { unix.Write(fd, []byte{7: 1}) }

// awaitEvent waits until the eventfd is signaled, at most for the time limit. It may return early.
func awaitEvent(fd int, most time.Duration) {
	limit := unix.NsecToTimespec(int64(most))
	unix.Ppoll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, &limit, nil)
	var count [8]byte
	unix.Read(fd, count[:])
}

// setPreciseSleep makes sleep return after its time: by default the kernel groups it with others of the next 50 us.
func setPreciseSleep() { unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) }

// sleep blocks the thread for a time, in the kernel: Go's timers are rounded to milliseconds.
func sleep(d time.Duration) {
	limit := unix.NsecToTimespec(int64(max(d, 0)))
	unix.Nanosleep(&limit, nil)
}

// isStableMemory reports whether a file's memory stays valid while it is mapped: a memfd that
// cannot shrink and does not use huge pages.
func isStableMemory(fd int) bool {
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	var fs unix.Statfs_t
	return err == nil && seals&unix.F_SEAL_SHRINK != 0 && unix.Fstatfs(fd, &fs) == nil && fs.Type == unix.TMPFS_MAGIC
}

// credentials returns the process and user at the other end of a socket (SO_PEERCRED).
func credentials(fd int) (pid int32, uid uint32, err error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return cred.Pid, cred.Uid, nil
}

// hasNetRaw reports whether the calling thread has CAP_NET_RAW.
func hasNetRaw() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	return unix.Capget(&header, &data[0]) == nil && data[0].Effective>>unix.CAP_NET_RAW&1 != 0
}

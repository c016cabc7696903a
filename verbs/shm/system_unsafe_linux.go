package shm

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What the device asks of the system that only Linux has. Elsewhere the package builds, and
// its devices cannot be opened.

const pathOnly = unix.O_PATH // of open: nothing is done with the file, whatever it is

func makePipe(ends *[2]int) error { return unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK) }

// awaitToken waits until there is something to read, for so long at most, which the garbage
// collector waits for. It may return early.
func awaitToken(fd int, most time.Duration) {
	p := unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	limit := unix.NsecToTimespec(int64(most))
	unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
}

// makeEvent makes an eventfd: what signalEvent adds to it awaitEvent takes.
func makeEvent() (fd int, err error) { return unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK) }

func signalEvent(fd int) { unix.Write(fd, []byte{7: 1}) }

// awaitEvent waits until the eventfd is signaled, for so long at most. It may return early.
func awaitEvent(fd int, most time.Duration) {
	limit := unix.NsecToTimespec(int64(most))
	unix.Ppoll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, &limit, nil)
	var count [8]byte
	unix.Read(fd, count[:])
}

// lasting tells whether the memory of a file is there as long as it is mapped: a memfd that
// cannot shrink, and not of huge pages.
func lasting(fd int) bool {
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	var fs unix.Statfs_t
	return err == nil && seals&unix.F_SEAL_SHRINK != 0 && unix.Fstatfs(fd, &fs) == nil && fs.Type == unix.TMPFS_MAGIC
}

// credentials are those of the process at the other end of a socket (SO_PEERCRED).
func credentials(fd int) (pid int32, uid uint32, err error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return cred.Pid, cred.Uid, nil
}

// hasNetRaw tells whether the calling thread has CAP_NET_RAW.
func hasNetRaw() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	return unix.Capget(&header, &data[0]) == nil && data[0].Effective>>unix.CAP_NET_RAW&1 != 0
}

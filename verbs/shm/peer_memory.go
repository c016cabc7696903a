package shm

import (
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// A requester opens the peer's memory and pipes through /proc/PID/fd, by the descriptor in the
// peer's process. The peer's process takes no part: it may be slow, stopped or out of descriptors.
// Since a descriptor can be reused at any time, the directory also gives the inode, which is unique
// while the file is open. A context's id contains the descriptor of its directory, and the
// directory describes everything else.

var (
	errPeer   = errors.New("the peer violates the embedded device's protocol")
	errNoProc = errors.New("/proc is not mounted, through which processes open the memory of each other: mount -t proc proc /proc")
)

// maxFD is above all descriptors that an id can hold: the default limit of nr_open is 2^20.
const maxFD = 1 << 20

// open opens descriptor fd of the peer's process, if it has the type (S_IFREG or S_IFIFO) and is
// still the file with the inode. With inode 0 any file is accepted.
func (r *peerContext) open(fd uint32, inode uint64, format uint32, flags int) (int, error) {
	found, err := unix.Open(fmt.Sprintf("/proc/%d/fd/%d", r.pid, fd), pathOnly|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT && unix.Access("/proc/self/fd", unix.X_OK) != nil {
		return -1, errNoProc
	}
	if err != nil {
		return -1, err
	}
	defer unix.Close(found)
	var st unix.Stat_t
	if unix.Fstat(found, &st) != nil || inode != 0 && st.Ino != inode || uint32(st.Mode)&unix.S_IFMT != format {
		return -1, unix.ENOENT
	}
	return unix.Open(fmt.Sprintf("/proc/self/fd/%d", found), flags|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
}

// mapMemory maps size bytes of a memfd of the peer, or with size 0 all of it. It refuses memory
// that could shrink, since an access beyond the end would kill this process, and huge pages, which
// can run out.
func (r *peerContext) mapMemory(fd uint32, inode uint64, size, prot int) ([]byte, error) {
	flags := unix.O_RDONLY
	if prot&unix.PROT_WRITE != 0 {
		flags = unix.O_RDWR
	}
	own, err := r.open(fd, inode, unix.S_IFREG, flags)
	if err != nil {
		return nil, err
	}
	defer unix.Close(own)
	var st unix.Stat_t
	if !isStableMemory(own) || unix.Fstat(own, &st) != nil { // in this order: the size of a file that can shrink is unreliable
		return nil, errPeer
	}
	if size == 0 {
		size = int(st.Size)
	}
	if size == 0 || int64(size) > st.Size {
		return nil, errPeer
	}
	return unix.Mmap(own, 0, size, prot, unix.MAP_SHARED)
}

// mapDirectory maps the peer's directory, whose descriptor is part of the peer's id.
func (r *peerContext) mapDirectory() error {
	b, err := r.mapMemory(uint32(r.id%maxFD), 0, directorySize, unix.PROT_READ)
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) || r.pid == 0 {
		return fmt.Errorf("the memory of process %d cannot be opened (%w): it must be in the same PID namespace "+
			"and have no capabilities that this process lacks", r.pid, err)
	}
	if err != nil {
		return err
	}
	if r.dir = viewDirectory(b); atomic.LoadUint64(&r.dir.id) != r.id {
		return errPeer
	}
	return nil
}

// isTransient reports whether open failed since this process lacks descriptors or memory, so that a
// retry may succeed.
func isTransient(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOMEM)
}

// inodeOf returns the inode of an open file of this process.
func inodeOf(fd int) (uint64, error) {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	return st.Ino, err
}

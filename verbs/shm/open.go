package shm

import (
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// A requester opens what a peer names by its descriptor in the peer's process, through
// /proc/PID/fd. The peer does nothing for it: it may be slow, stopped or short of
// descriptors. Since a number can be given to another file at any time, the inode goes with
// it, which is the file's own as long as somebody has it open. The id of a context has the
// descriptor of its directory, which names everything else.

var errPeer = errors.New("the peer does not keep to the embedded device's protocol")

// maxFD is above the descriptors that an id has room for: the limit of nr_open is 2^20.
const maxFD = 1 << 20

// open opens what the peer's process has as fd, if it is of the type (S_IFREG or S_IFIFO) and still the
// file with the inode; inode 0: whatever it is.
func (r *remote) open(fd uint32, inode uint64, format uint32, flags int) (int, error) {
	found, err := unix.Open(fmt.Sprintf("/proc/%d/fd/%d", r.pid, fd), pathOnly|unix.O_CLOEXEC, 0)
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

// mapMemory maps size bytes of a memfd of the peer, 0: all. One that could shrink is refused: reading beyond
// its end would kill this process. So are huge pages, which can run out.
func (r *remote) mapMemory(fd uint32, inode uint64, size, prot int) ([]byte, error) {
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
	if !lasting(own) || unix.Fstat(own, &st) != nil { // in this order: what can shrink has no size that counts
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

// mapDirectory maps the peer's directory, whose descriptor its id tells.
func (r *remote) mapDirectory() error {
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

// passing tells whether open failed because this process lacks descriptors or memory, which may
// pass.
func passing(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOMEM)
}

// inodeOf returns the inode of an open file of this process.
func inodeOf(fd int) (uint64, error) {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	return st.Ino, err
}

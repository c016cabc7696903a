//go:build linux

// Package memfd creates memory that can be shared with another process by its file
// descriptor: a sealed memfd, mapped into this process. It has no name in a file
// system, so nothing remains when a process dies.
package memfd

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// File is a memfd and its mapping.
type File struct {
	fd    int
	bytes []byte
	addr  uint64

	holds  int  // guarded by files
	closed bool // guarded by files
}

// New creates a memfd of size bytes, seals its size and maps it for reading and writing.
func New(name string, size int) (*File, error) { return create(name, size, 0) }

// NewReadOnlyForOthers creates a memfd that only this process can write: later mappings cannot be
// writable (F_SEAL_FUTURE_WRITE, Linux 5.1).
func NewReadOnlyForOthers(name string, size int) (*File, error) {
	return create(name, size, unix.F_SEAL_FUTURE_WRITE)
}

// NewHuge creates a memfd of huge pages of the default size (hugetlb). It reserves all pages at
// once and returns ENOMEM if too few are free.
func NewHuge(name string, size int) (*File, error) {
	page, err := hugePage()
	if err != nil {
		return nil, err
	}
	f, err := createOf(name, size, unix.MFD_HUGETLB, page, 0)
	if errors.Is(err, unix.ENOMEM) {
		need := (size + page - 1) / page
		return nil, fmt.Errorf("%w: %d huge pages of %d KiB are needed, see HugePages_Free in /proc/meminfo: reserve more with sysctl vm.nr_hugepages=N", err, need, page>>10)
	}
	return f, err
}

// hugePage returns the default size of a huge page.
func hugePage() (int, error) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	var kib int
	_, after, _ := strings.Cut(string(text), "Hugepagesize:")
	if _, err := fmt.Sscan(after, &kib); err != nil || kib <= 0 {
		return 0, errors.New("this kernel has no huge pages (Hugepagesize in /proc/meminfo)")
	}
	return kib << 10, nil
}

func create(name string, size int, seals int) (*File, error) {
	return createOf(name, size, 0, os.Getpagesize(), seals)
}

func createOf(name string, size, flags, page, seals int) (*File, error) {
	if size <= 0 {
		return nil, fmt.Errorf("memory of %d bytes: %w", size, unix.EINVAL)
	}
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|flags)
	if err != nil {
		return nil, fmt.Errorf("memfd_create %s: %w%s", name, err, Cure(err))
	}
	f := &File{fd: fd}
	if err := f.init(roundUp(size, page), size, seals); err != nil {
		unix.Close(fd)
		return nil, err
	}
	register(f)
	return f, nil
}

// Cure returns advice on the error of a limit of open files, or "".
func Cure(err error) string {
	var limit unix.Rlimit
	if !errors.Is(err, unix.EMFILE) || unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return ""
	}
	return fmt.Sprintf(" (this process may have %d files open: raise ulimit -n, or nofile in /etc/security/limits.conf)", limit.Cur)
}

func (f *File) init(mapped, size, seals int) error {
	if err := unix.Ftruncate(f.fd, int64(mapped)); err != nil {
		return fmt.Errorf("grow memfd to %d bytes: %w", mapped, err)
	}
	b, err := unix.Mmap(f.fd, 0, mapped, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("map %d bytes: %w", mapped, err)
	}
	seals |= unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(uintptr(f.fd), unix.F_ADD_SEALS, seals); err != nil {
		unix.Munmap(b)
		return fmt.Errorf("seal memfd: %w", err)
	}
	f.bytes, f.addr = b[:size:mapped], addrOf(b)
	return nil
}

// Renew replaces the memory by zeroed memory with another descriptor, at the same address. Others
// that have mapped the old memory keep it, and no longer share memory with this process. If Renew
// fails the file is unchanged. It is for files of New, and ignores holds.
func (f *File) Renew(name string) error {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return fmt.Errorf("memfd_create %s: %w%s", name, err, Cure(err))
	}
	if err = unix.Ftruncate(fd, int64(cap(f.bytes))); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	}
	if err == nil {
		err = mapOver(fd, f.bytes)
	}
	if err != nil {
		unix.Close(fd)
		return fmt.Errorf("make %d bytes of new memory: %w", cap(f.bytes), err)
	}
	unix.Close(f.fd)
	f.fd = fd
	return nil
}

func roundUp(n, page int) int { return (n + page - 1) / page * page }

// FD returns the descriptor, which is valid until Close.
func (f *File) FD() int { return f.fd }

// Bytes returns the mapping.
func (f *File) Bytes() []byte { return f.bytes }

// Addr returns the address of the first byte.
func (f *File) Addr() uint64 { return f.addr }

// Close closes the descriptor and unmaps the memory, or leaves that to the last Release.
func (f *File) Close() error {
	if !f.unregister() {
		return nil
	}
	return errors.Join(unix.Close(f.fd), f.Unmap())
}

// Discard frees the pages of the memory, which then has zeros in all mappings. It is for files of New.
func (f *File) Discard() error {
	return unix.Fallocate(f.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, int64(cap(f.bytes)))
}

// CloseFD closes the descriptor only; the caller must call Unmap later. It ignores holds.
func (f *File) CloseFD() error {
	f.unregister()
	return unix.Close(f.fd)
}

// Release drops a hold of Hold.
func (f *File) Release() error {
	files.Lock()
	f.holds--
	last := f.closed && f.holds == 0
	files.Unlock()
	if !last {
		return nil
	}
	return errors.Join(unix.Close(f.fd), f.Unmap())
}

// Unmap unmaps the memory.
func (f *File) Unmap() error { return unix.Munmap(f.bytes[:cap(f.bytes)]) }

// files holds the open files, sorted by address.
var files struct {
	sync.Mutex
	sorted []*File
}

func register(f *File) {
	files.Lock()
	defer files.Unlock()
	i := sort.Search(len(files.sorted), func(i int) bool { return files.sorted[i].addr > f.addr })
	files.sorted = append(files.sorted, nil)
	copy(files.sorted[i+1:], files.sorted[i:])
	files.sorted[i] = f
}

// unregister removes the file from the list, once, and reports whether its memory can be unmapped
// now.
func (f *File) unregister() bool {
	files.Lock()
	defer files.Unlock()
	if f.closed {
		return false
	}
	f.closed = true
	files.sorted = slices.DeleteFunc(files.sorted, func(g *File) bool { return g == f })
	return f.holds == 0
}

// Hold returns the file that contains b, and b's offset, or nil. The file and its memory stay until
// Release, even if the file is closed earlier.
func Hold(b []byte) (*File, int) {
	if len(b) == 0 {
		return nil, 0
	}
	addr := addrOf(b)
	files.Lock()
	defer files.Unlock()
	i := sort.Search(len(files.sorted), func(i int) bool { return files.sorted[i].addr > addr })
	if i == 0 {
		return nil, 0
	}
	f := files.sorted[i-1]
	off := addr - f.addr
	if off+uint64(len(b)) > uint64(len(f.bytes)) {
		return nil, 0
	}
	f.holds++
	return f, int(off)
}

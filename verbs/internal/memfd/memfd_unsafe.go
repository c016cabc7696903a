//go:build linux

package memfd

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// addrOf returns the address of b's first byte.
func addrOf(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// mapOver maps the descriptor at the address of an existing mapping, which it replaces.
func mapOver(fd int, there []byte) error {
	_, err := unix.MmapPtr(fd, 0, unsafe.Pointer(unsafe.SliceData(there)), uintptr(cap(there)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_FIXED)
	return err
}

// bindMode is MPOL_BIND: pages come only from the nodes of the mask.
const bindMode = 2

// Bind binds the memory's pages to a NUMA node (mbind(2)). The caller must not have touched the
// memory before.
func (f *File) Bind(node int) error {
	mask := make([]uint64, node/64+1)
	mask[node/64] = 1 << (node % 64)
	_, _, errno := unix.Syscall6(unix.SYS_MBIND, uintptr(f.addr), uintptr(cap(f.bytes)), bindMode,
		uintptr(unsafe.Pointer(&mask[0])), uintptr(len(mask)*64+1), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

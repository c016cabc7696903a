// Package offheap allocates arrays outside Go's heap, where C libraries may keep and follow
// pointers to them.
package offheap

import (
	"fmt"
	"math"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Make maps zeroed memory for n values of T. T must not contain pointers to Go's heap, since the
// garbage collector does not scan the memory.
func Make[T any](n int) ([]T, error) {
	each := int(unsafe.Sizeof(*new(T)))
	if n == 0 || each == 0 {
		return nil, nil
	}
	if n < 0 || n > math.MaxInt/each {
		return nil, fmt.Errorf("%d work requests: %w", n, unix.ENOMEM)
	}
	size := n * each
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes for work requests: %w", size, err)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n), nil
}

// Free unmaps an array of Make.
func Free[T any](s []T) error {
	if cap(s) == 0 {
		return nil
	}
	s = s[:cap(s)]
	size := len(s) * int(unsafe.Sizeof(s[0]))
	return unix.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size))
}

package verbs

import (
	"fmt"

	"github.com/ibperf/ibperf/verbs/internal/memfd"
	"github.com/ibperf/ibperf/verbs/internal/offheap"
)

// Buffer is memory for regions: page-aligned, initially zero, outside Go's heap, so that
// it never moves and devices may keep its address.
type Buffer struct{ file *memfd.File }

// NewBuffer allocates size bytes. The memory must not be accessed after Close; its pages stay mapped
// for the device until all memory regions on them are closed.
func NewBuffer(size int) (*Buffer, error) {
	f, err := memfd.New("ibperf-buffer", size)
	if err != nil {
		return nil, err
	}
	return &Buffer{file: f}, nil
}

// NewHugeBuffer is NewBuffer with huge pages, which the host must have reserved
// (vm.nr_hugepages). Embedded devices cannot share them with a peer.
func NewHugeBuffer(size int) (*Buffer, error) {
	f, err := memfd.NewHuge("ibperf-buffer", size)
	if err != nil {
		return nil, err
	}
	return &Buffer{file: f}, nil
}

// BindNUMA allocates the pages on a NUMA node. It must be called before the first access.
func (b *Buffer) BindNUMA(node int) error {
	if err := b.file.Bind(node); err != nil {
		return fmt.Errorf("bind memory to NUMA node %d: mbind: %w", node, err)
	}
	return nil
}

// Bytes returns the memory.
func (b *Buffer) Bytes() []byte { return b.file.Bytes() }

// Addr returns the virtual address of the first byte.
func (b *Buffer) Addr() uint64 { return b.file.Addr() }

// Close frees the memory. The slice from Bytes must not be used afterwards.
func (b *Buffer) Close() error { return b.file.Close() }

// Request is a work request, a scatter/gather element, or a completion (WC), which is no request but
// is allocated in the same way.
type Request interface {
	SendWR | RecvWR | SGE | WC
}

// Make returns n zeroed requests outside Go's heap. The garbage collector does not scan
// them: pointers in them must be to memory from Make too. Free frees them.
func Make[T Request](n int) ([]T, error) { return offheap.Make[T](n) }

// Free frees a slice from [Make].
func Free[T Request](s []T) error { return offheap.Free(s) }

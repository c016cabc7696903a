package verbs

import (
	"fmt"

	"github.com/ibperf/ibperf/internal/memfd"
	"github.com/ibperf/ibperf/internal/offheap"
)

// Buffer is memory to register: page-aligned, zeroed, outside Go's heap, so that
// it never moves and devices may keep its address.
type Buffer struct{ file *memfd.File }

// NewBuffer allocates size bytes. Close frees them; a region still registered
// on them keeps them alive for the device, not for the caller.
func NewBuffer(size int) (*Buffer, error) {
	f, err := memfd.New("ibperf-buffer", size)
	if err != nil {
		return nil, err
	}
	return &Buffer{file: f}, nil
}

// NewHugeBuffer is NewBuffer of huge pages, which a machine sets aside (vm.nr_hugepages).
// Embedded devices cannot share them with a peer.
func NewHugeBuffer(size int) (*Buffer, error) {
	f, err := memfd.NewHuge("ibperf-buffer", size)
	if err != nil {
		return nil, err
	}
	return &Buffer{file: f}, nil
}

// BindNUMA makes the pages those of a NUMA node, before any of them is touched.
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

// Close frees the memory. It must not be used afterwards.
func (b *Buffer) Close() error { return b.file.Close() }

// Request is what work queues are fed with and drained into.
type Request interface {
	SendWR | RecvWR | SGE | WC
}

// Make returns n zeroed requests outside Go's heap, where the garbage collector does
// not look: pointers in them must be to memory from Make too. Free gives them back.
func Make[T Request](n int) ([]T, error) { return offheap.Make[T](n) }

// Free gives back what [Make] returned.
func Free[T Request](s []T) error { return offheap.Free(s) }

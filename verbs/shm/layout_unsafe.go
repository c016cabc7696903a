package shm

import (
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/store"
)

// Views of shared memory. Slicing checks the bounds before a pointer is made. Every mapping is
// page-aligned and larger than its views.

const directorySize = int(unsafe.Sizeof(directory{}))

func viewDirectory(b []byte) *directory { return view[directory](b, 0) }

func view[T any](b []byte, at int) *T {
	return (*T)(unsafe.Pointer(unsafe.SliceData(b[at : at+int(unsafe.Sizeof(*new(T)))])))
}

// viewBytes returns the memory of a structure.
func viewBytes[T any](p *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

// wordOf returns the first 8 bytes as a word, or nil if they are not aligned for that.
func wordOf(b []byte) *uint64 {
	word := unsafe.Pointer(unsafe.SliceData(b[:wordSize]))
	if uintptr(word)%wordSize != 0 {
		return nil
	}
	return (*uint64)(word)
}

// addressOf returns the address of the memory in this process. All mappings have the same offset
// within an aligned block of 128 bytes.
func addressOf(b []byte) uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

func sgesOf(first *verbs.SGE, n int32) []verbs.SGE {
	if n <= 0 || first == nil {
		return nil
	}
	return unsafe.Slice(first, n)
}

func viewSGEs(b []byte, at int, n uint32) []verbs.SGE {
	if n == 0 {
		return nil
	}
	s := b[at : at+int(n)*sgeSize]
	return unsafe.Slice((*verbs.SGE)(unsafe.Pointer(unsafe.SliceData(s))), n)
}

func viewRecords(b []byte, n uint32) []record {
	s := b[headerSize : headerSize+int(n)*recordSize]
	return unsafe.Slice((*record)(unsafe.Pointer(unsafe.SliceData(s))), n)
}

// memoryAt returns n bytes at an address of this process. Inline SGEs name unregistered memory by
// address, for which the caller is responsible.
func memoryAt(addr uint64, n uint32) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice(pointerTo(addr), n)
}

// addressable reports whether a process may have memory at the address: it is neither in the first
// page nor in the kernel's half. Access to other unmapped addresses ends the process, as in C.
func addressable(addr uint64) bool { return addr-pageSize < 1<<63 }

func pointerTo(addr uint64) *byte { return *(**byte)(unsafe.Pointer(&addr)) }

// slice returns the memory [addr, addr+n), or nil unless the region has the key and contains all of
// it.
func (w *cachedRegion) slice(key uint32, addr, n uint64) []byte {
	first := w.pointer(key, addr, n)
	if first == nil {
		return nil
	}
	return unsafe.Slice(first, n)
}

// pointer returns the first byte of the memory that slice would return, or nil.
func (w *cachedRegion) pointer(key uint32, addr, n uint64) *byte {
	off := addr - w.addr // wraps to a huge value if addr is below
	if key != w.key || off > uint64(len(w.mem)) || n > uint64(len(w.mem))-off {
		return nil
	}
	return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(w.mem)), off))
}

// prefetch prefetches the cache line that a WRITE stores to, before the requester's lock is taken.
// The cached region may be stale, which makes the prefetch useless but harmless.
//
//go:norace
func (q *qp) prefetch(wr *verbs.SendWR) {
	if w := &q.cache.remote[remoteDest]; wr != nil && wr.Opcode == verbs.OpRDMAWrite {
		addr, _ := wr.RDMA()
		store.PrefetchWrite(uintptr(unsafe.Pointer(unsafe.SliceData(w.mem))) + uintptr(addr-w.addr))
	}
}

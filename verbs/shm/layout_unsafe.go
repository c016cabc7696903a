package shm

import (
	"unsafe"

	"github.com/ibperf/ibperf/internal/place"
	"github.com/ibperf/ibperf/verbs"
)

// Views of shared memory. Each is bounds-checked by slicing before a pointer is
// made of it, and every mapping is page-aligned and larger than what is viewed.

const directorySize = int(unsafe.Sizeof(directory{}))

func viewDirectory(b []byte) *directory { return view[directory](b, 0) }

func view[T any](b []byte, at int) *T {
	return (*T)(unsafe.Pointer(unsafe.SliceData(b[at : at+int(unsafe.Sizeof(*new(T)))])))
}

// viewBytes is the memory of a structure.
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

// addressOf is where the memory begins here. It is as far into an aligned block of 128 bytes
// wherever it is mapped.
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

// memoryAt returns n bytes at an address of this process, as inline SGEs name
// them: unregistered memory that the caller vouches for.
func memoryAt(addr uint64, n uint32) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice(pointerTo(addr), n)
}

// addressable tells whether a process may have memory at the address: not in the first page, nor
// in the half that is the kernel's. What lies elsewhere and is not there ends the process, as in C.
func addressable(addr uint64) bool { return addr-pageSize < 1<<63 }

func pointerTo(addr uint64) *byte { return *(**byte)(unsafe.Pointer(&addr)) }

// at returns the memory [addr, addr+n), or nil if the window does not show all of
// it under the key.
func (w *window) at(key uint32, addr, n uint64) []byte {
	first := w.pointer(key, addr, n)
	if first == nil {
		return nil
	}
	return unsafe.Slice(first, n)
}

// pointer returns the first byte of what at returns, or nil.
func (w *window) pointer(key uint32, addr, n uint64) *byte {
	off := addr - w.first // huge if addr is below
	if key != w.key || off > uint64(len(w.bytes)) || n > uint64(len(w.bytes))-off {
		return nil
	}
	return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(w.bytes)), off))
}

// prefetch asks for the cache line that a WRITE goes to, while its requester is not even
// locked: what it takes for known may be wrong by now, which does no harm.
//
//go:norace
func (q *qp) prefetch(wr *verbs.SendWR) {
	if w := &q.known.far[farTo]; wr != nil && wr.Opcode == verbs.OpRDMAWrite {
		addr, _ := wr.RDMA()
		place.PrefetchWrite(uintptr(unsafe.Pointer(unsafe.SliceData(w.bytes))) + uintptr(addr-w.first))
	}
}

package message

import (
	"fmt"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

// wordsOf returns b, which must be 128-byte aligned, as aligned 64-bit words,
// which can be loaded atomically. Bytes at the end that fill no word are left
// out, so the words are within b.
func wordsOf(b []byte) ([]uint64, error) {
	first := unsafe.Pointer(unsafe.SliceData(b))
	if uintptr(first)%verbs.BlockSize != 0 {
		return nil, fmt.Errorf("message ring: the buffer is not aligned to %d bytes", verbs.BlockSize)
	}
	return unsafe.Slice((*uint64)(first), len(b)/wordSize), nil
}

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

// Word returns the first 8 bytes of b, which begin at a multiple of 8, for atomic loads and stores.
func Word(b []byte) *uint64 {
	_ = b[wordSize-1]
	return (*uint64)(unsafe.Pointer(unsafe.SliceData(b)))
}

// creditWords returns the two words of a credit, which begins at a multiple of 8 bytes.
func creditWords(b []byte) *[2]uint64 {
	_ = b[CreditBytes-1]
	return (*[2]uint64)(unsafe.Pointer(unsafe.SliceData(b)))
}

package shm_test

import (
	"sync/atomic"
	"unsafe"
)

// atomicWords views memory of a buffer as words to be loaded atomically.
func atomicWords(b []byte) []atomic.Uint64 {
	return unsafe.Slice((*atomic.Uint64)(unsafe.Pointer(&b[0])), len(b)/8)
}

package shm_test

import (
	"sync/atomic"
	"unsafe"
)

// atomicWords returns a buffer's memory as atomic words.
func atomicWords(b []byte) []atomic.Uint64 {
	return unsafe.Slice((*atomic.Uint64)(unsafe.Pointer(&b[0])), len(b)/8)
}

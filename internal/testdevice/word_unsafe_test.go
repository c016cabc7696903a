package testdevice_test

import (
	"sync/atomic"
	"unsafe"
)

// word views the first 8 bytes of aligned memory, which a device may write.
func word(b []byte) *atomic.Uint64 {
	_ = b[7]
	return (*atomic.Uint64)(unsafe.Pointer(unsafe.SliceData(b)))
}

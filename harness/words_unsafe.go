package harness

import "unsafe"

// words views 16 bytes of page-aligned memory as two words.
func words(b []byte) *[2]uint64 {
	_ = b[15]
	return (*[2]uint64)(unsafe.Pointer(unsafe.SliceData(b)))
}

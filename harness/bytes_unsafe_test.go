package harness

import (
	"bytes"
	"unsafe"
)

// bytesAt copies memory outside Go's heap.
func bytesAt(addr uint64, n int) []byte {
	return bytes.Clone(unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), n))
}

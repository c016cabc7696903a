package place

import "unsafe"

// OrderedAt is Ordered for n > 0 bytes whose memory the caller vouches for, at both sides.
//
// A message of 8 bytes is one store, if dst is aligned for that. The shortest messages are
// where latency is measured, and a Go store saves the call into assembly (2.7 ns against 4.4
// for the whole of Ordered). It is as good as one: the memory model of Go lets
// no reader see half of a machine word, and one store needs no order within.
func OrderedAt(dst, src *byte, n int) {
	if n == 8 && uintptr(unsafe.Pointer(dst))%8 == 0 {
		*(*uint64)(unsafe.Pointer(dst)) = *(*uint64)(unsafe.Pointer(src))
		return
	}
	ordered(dst, src, n)
}

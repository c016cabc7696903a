//go:build amd64 || arm64

package ccall

import "unsafe"

const offered = true

// call calls f(arg) with the stack pointer at top, which is a multiple of 16.
//
//go:noescape
func call(f, arg unsafe.Pointer, top uintptr)

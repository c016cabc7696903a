//go:build !amd64 && !arm64

package ccall

import "unsafe"

const offered = false

func call(f, arg unsafe.Pointer, top uintptr) { panic("ccall: no code for this CPU") }

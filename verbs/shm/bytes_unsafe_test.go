package shm

import "unsafe"

// viewBytes is the memory of a structure.
func viewBytes[T any](p *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

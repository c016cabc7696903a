package verbstest

import (
	"sync/atomic"
	"unsafe"
)

// cpuAdd adds to an aligned word of memory with an atomic instruction.
func cpuAdd(mem []byte, v uint64) {
	atomic.AddUint64((*uint64)(unsafe.Pointer(unsafe.SliceData(mem[:8]))), v)
}

// loadWord reads an aligned word of memory that a device or a peer writes.
func loadWord(mem []byte) uint64 {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(unsafe.SliceData(mem[:8]))))
}

//go:build cgo && linux

package gpu

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "memory.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// functions are the C functions of a library.
var functions = map[Kind]struct {
	allocate func(m *C.struct_gpu_memory, d Device, bytes C.size_t) C.int
	free     func(m *C.struct_gpu_memory)
	remedy   string
}{
	CUDA: {allocateCUDA, func(m *C.struct_gpu_memory) { C.cuda_free(m) }, "install NVIDIA's driver, with its open kernel modules for dma-buf"},
	ROCm: {func(m *C.struct_gpu_memory, d Device, bytes C.size_t) C.int {
		return C.rocm_allocate(m, C.int(d.Number), bytes)
	}, func(m *C.struct_gpu_memory) { C.rocm_free(m) }, "install ROCm, and add its folder of libraries to LD_LIBRARY_PATH"},
}

func allocateCUDA(m *C.struct_gpu_memory, d Device, bytes C.size_t) C.int {
	var bus *C.char
	if d.Bus != "" {
		bus = C.CString(d.Bus)
		defer C.free(unsafe.Pointer(bus))
	}
	return C.cuda_allocate(m, C.int(d.Number), bus, bytes)
}

func allocate(d Device, bytes int) (*Memory, error) {
	f := functions[d.Kind]
	m := (*C.struct_gpu_memory)(C.calloc(1, C.sizeof_struct_gpu_memory))
	switch f.allocate(m, d, C.size_t(bytes)) {
	case C.GPU_DONE:
	case C.GPU_NO_LIBRARY:
		defer C.free(unsafe.Pointer(m))
		return nil, fmt.Errorf("%s: %s", C.GoString(&m.problem[0]), f.remedy)
	default:
		defer C.free(unsafe.Pointer(m))
		return nil, errors.New(C.GoString(&m.problem[0]))
	}
	return &Memory{FD: int(m.fd), Offset: uint64(m.offset), Name: C.GoString(&m.name[0]), free: func() {
		f.free(m)
		C.free(unsafe.Pointer(m))
	}}, nil
}

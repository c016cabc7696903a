// Package gpu allocates memory of GPUs that RDMA devices can register. The GPU's driver library is opened at run
// time: programs need none of it to start. The driver exports the memory as a dma-buf, which ibv_reg_dmabuf_mr(3)
// registers. Files: library_unsafe.go with cuda.c and rocm.c calls the libraries; library_other.go is for builds without cgo.
package gpu

import "fmt"

// Kind is a driver library.
type Kind string

// The libraries. The empty kind is no GPU.
const (
	CUDA Kind = "CUDA" // libcuda.so.1, of NVIDIA's driver
	ROCm Kind = "ROCm" // libamdhip64.so and libhsa-runtime64.so.1
)

// A Device names a GPU: by its number, or with CUDA by its PCI address.
type Device struct {
	Kind   Kind
	Number int
	Bus    string // such as 0000:3b:00.0; empty: Number
}

// Is reports whether it names a GPU.
func (d Device) Is() bool { return d.Kind != "" }

// String returns the name for messages.
func (d Device) String() string {
	if d.Bus != "" {
		return fmt.Sprintf("%s device %s", d.Kind, d.Bus)
	}
	return fmt.Sprintf("%s device %d", d.Kind, d.Number)
}

// Memory is memory of a GPU.
type Memory struct {
	FD     int    // of the dma-buf
	Offset uint64 // of the memory in it, a multiple of the page size
	Name   string // of the GPU, as the library says
	free   func()
}

// Allocate allocates a number of bytes. Its error says what is missing.
func Allocate(d Device, bytes int) (*Memory, error) {
	m, err := allocate(d, bytes)
	if err != nil {
		return nil, fmt.Errorf("allocate memory of %s: %w", d, err)
	}
	return m, nil
}

// Close frees the memory. No device may have it registered.
func (m *Memory) Close() { m.free() }

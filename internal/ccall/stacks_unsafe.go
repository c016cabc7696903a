package ccall

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// stackSize is enough for providers of libibverbs, which keep little on the
	// stack, and for what a debugging libc puts there. Only what is used takes memory.
	stackSize = 256 << 10
	guardSize = 64 << 10 // below each stack: overflow is a fault, not corruption

	// Each is the size of a stack with its guard.
	Each = guardSize + stackSize
)

// Stacks are what C functions run on: one for each processor of the Go scheduler.
// A goroutine keeps its processor during a call, so a stack has one user at a time
// and threads share nothing. The zero value has none.
type Stacks struct{ memory []byte }

// New makes stacks, which are never freed. They are none where this package has no
// code for the CPU: then every Call returns false.
func New() (*Stacks, error) {
	s := &Stacks{}
	if !offered {
		return s, nil
	}
	size := max(runtime.NumCPU(), runtime.GOMAXPROCS(0)) * Each
	m, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	for low := 0; low < size; low += Each {
		if err := unix.Mprotect(m[low:low+guardSize], unix.PROT_NONE); err != nil {
			return nil, err
		}
	}
	s.memory = m
	return s, nil
}

// Memory is that of all stacks, Each bytes for one. While a function runs on a stack its
// last word is the goroutine's stack pointer, which points to the address that the call
// returns to.
func (s *Stacks) Memory() []byte { return s.memory }

// Call calls the C function
//
//	void f(void *arg)
//
// and returns true, or false if this processor of the scheduler has no stack, which is so
// if GOMAXPROCS has become more than it was and than there are CPUs: call it through cgo
// then. arg may point to memory of Go, which does not move meanwhile.
func (s *Stacks) Call(f, arg unsafe.Pointer) bool {
	above := uintptr(procPin()+1) * Each
	ok := above <= uintptr(len(s.memory))
	if ok {
		call(f, arg, uintptr(unsafe.Pointer(unsafe.SliceData(s.memory)))+above)
	}
	procUnpin()
	return ok
}

// procPin binds the goroutine to the processor that it runs on, and returns its number.
//
//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

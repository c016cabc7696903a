package ccall

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// stackSize suffices for providers of libibverbs, which need little stack, and for a
	// debugging libc. Untouched pages take no memory.
	stackSize = 256 << 10
	guardSize = 64 << 10 // below each stack: an overflow faults

	// Each is the size of a stack with its guard.
	Each = guardSize + stackSize

	// spare is the number of stacks for later Ps: the harness raises GOMAXPROCS for threads
	// that spin.
	spare = 64
)

// Stacks are stacks for C functions, one per processor (P) of the Go scheduler. A
// goroutine keeps its P during a call, so each stack has one user at a time and threads
// share no memory. The zero value has no stacks.
type Stacks struct{ memory []byte }

// New allocates stacks for the present Ps and 64 more, which are never freed. On a CPU that
// this package does not support it allocates none, and every Call returns false.
func New() (*Stacks, error) {
	if !offered {
		return &Stacks{}, nil
	}
	return allocate(max(runtime.NumCPU(), runtime.GOMAXPROCS(0)) + spare)
}

func allocate(stacks int) (*Stacks, error) {
	size := stacks * Each
	m, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	for low := 0; low < size; low += Each {
		if err := unix.Mprotect(m[low:low+guardSize], unix.PROT_NONE); err != nil {
			return nil, err
		}
	}
	return &Stacks{m}, nil
}

// Memory returns the memory of all stacks, Each bytes per stack. While a function runs,
// the last word of its stack holds the goroutine's stack pointer. On amd64 that points to
// the return address in Go; on arm64 the word before the last holds the return address.
func (s *Stacks) Memory() []byte { return s.memory }

// Complete reports whether each present P has a stack, so that every Call succeeds.
func (s *Stacks) Complete() bool { return runtime.GOMAXPROCS(0)*Each <= len(s.memory) }

// Call calls the C function
//
//	void f(void *arg)
//
// and reports whether it did. It does not if the current P has no stack, because GOMAXPROCS
// was raised by more than 64 since New, or on a zero Stacks: then call f through cgo. arg may
// point to Go memory, which is neither moved nor freed during the call.
func (s *Stacks) Call(f, arg unsafe.Pointer) bool {
	above := uintptr(procPin()+1) * Each
	if above > uintptr(len(s.memory)) {
		procUnpin()
		return false
	}
	call(f, arg, uintptr(unsafe.Pointer(unsafe.SliceData(s.memory)))+above)
	procUnpin()
	return true
}

// procPin disables preemption of the goroutine and returns the number of its P. A fault
// before procUnpin ends the process: the runtime does not turn it into a panic.
//
//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

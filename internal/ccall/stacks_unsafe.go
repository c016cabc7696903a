package ccall

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// stackSize is enough for providers of libibverbs, which keep little on the
	// stack, and for what a debugging libc puts there. Only what is used takes memory.
	stackSize = 256 << 10
	guardSize = 64 << 10 // below each stack: overflow is a fault, not corruption
	stacks    = 8        // threads that call at the same time
)

// Stacks are what C functions run on. The zero value has none.
type Stacks struct {
	memory []byte
	list   [stacks]stack
}

// stack is one of them, in a cache line of its own.
type stack struct {
	busy atomic.Bool
	top  uintptr
	_    [48]byte
}

// New makes stacks. They are none where this package has no code for the CPU:
// then every Call returns false.
func New() (*Stacks, error) {
	s := &Stacks{}
	if !offered {
		return s, nil
	}
	const each = guardSize + stackSize
	m, err := unix.Mmap(-1, 0, stacks*each, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	s.memory = m
	for i := range s.list {
		low := m[i*each:]
		if err := unix.Mprotect(low[:guardSize], unix.PROT_NONE); err != nil {
			s.Close()
			return nil, err
		}
		s.list[i].top = uintptr(unsafe.Pointer(unsafe.SliceData(low))) + each
	}
	return s, nil
}

// Call calls the C function
//
//	void f(void *arg)
//
// and returns true, or false if all stacks are in use: call it through cgo then.
// arg may point to memory of Go, which does not move meanwhile.
func (s *Stacks) Call(f, arg unsafe.Pointer) bool {
	for i := range s.list {
		t := &s.list[i]
		if t.top == 0 || t.busy.Load() || !t.busy.CompareAndSwap(false, true) {
			continue
		}
		call(f, arg, t.top)
		t.busy.Store(false)
		return true
	}
	return false
}

// Close frees the stacks. No call may be at work.
func (s *Stacks) Close() error {
	m := s.memory
	*s = Stacks{}
	if m == nil {
		return nil
	}
	return unix.Munmap(m)
}

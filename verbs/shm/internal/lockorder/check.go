//go:build lockorder

package lockorder

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Mutex is a mutex of a kind.
type Mutex[K Kind] struct{ mutex sync.Mutex }

// Lock acquires the mutex.
func (m *Mutex[K]) Lock() {
	var k K
	Acquire(k)
	m.mutex.Lock()
}

// TryLock acquires the mutex if it is free, and reports whether it has. It is for tests.
func (m *Mutex[K]) TryLock() bool { return m.mutex.TryLock() }

// Unlock releases the mutex.
func (m *Mutex[K]) Unlock() {
	var k K
	Release(k)
	m.mutex.Unlock()
}

// held has the locks that each goroutine holds.
var (
	mu   sync.Mutex
	held = map[string][]Kind{}
)

// Check panics if this goroutine may not wait for a lock of a kind.
func Check(k Kind) {
	mu.Lock()
	defer mu.Unlock()
	for _, h := range held[goroutine()] {
		if place(h) >= place(k) {
			panic(fmt.Sprintf("lock order: waits for %T and holds %T, which is not above it in lockorder.Order", k, h))
		}
	}
}

// Held notes that this goroutine has acquired a lock. Locks that a test acquires itself do not count: tests hold them as
// other threads would.
func Held(k Kind) {
	if byTest() {
		return
	}
	mu.Lock()
	defer mu.Unlock()
	id := goroutine()
	held[id] = append(held[id], k)
}

// Acquire is Check and Held at once, before the goroutine waits.
func Acquire(k Kind) {
	Check(k)
	Held(k)
}

// Release notes that this goroutine releases a lock.
func Release(k Kind) {
	mu.Lock()
	defer mu.Unlock()
	id := goroutine()
	if i := slices.Index(held[id], k); i >= 0 {
		held[id] = slices.Delete(held[id], i, i+1)
	}
	if len(held[id]) == 0 {
		delete(held, id)
	}
}

// place returns the place of a kind in the order.
func place(k Kind) int {
	i := slices.Index(Order, k)
	if i < 0 {
		panic(fmt.Sprintf("lockorder.Order has no %T", k))
	}
	return i
}

// goroutine identifies this goroutine.
func goroutine() string {
	var buf [64]byte
	first := buf[:runtime.Stack(buf[:], false)] // "goroutine 7 [running]: ..."
	id, _, _ := bytes.Cut(first, []byte(" ["))
	return string(id)
}

// byTest reports whether a test acquires the lock: its function calls that of the lock.
func byTest() bool {
	var calls [8]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(2, calls[:])])
	for {
		f, more := frames.Next()
		ofLock := strings.HasSuffix(f.File, "/lockorder/check.go") || strings.HasSuffix(f.File, "/shm/lock.go")
		if !ofLock || !more {
			return strings.HasSuffix(f.File, "_test.go")
		}
	}
}

//go:build !amd64

package store

import (
	"sync/atomic"
	"unsafe"
)

// InOrder is true where Ordered keeps its promise. On this CPU architecture it does not; libibverbs
// promises nothing outside x86 either.
const InOrder = false

// ordered copies n > 0 bytes in no particular order.
func ordered(dst, src *byte, n int) {
	copy(unsafe.Slice(dst, n), unsafe.Slice(src, n))
}

// scatter stores count bytes one at a time: those at i, i+step, i+2*step, ... modulo n. It returns
// the next index. i and step are below n. Compiler and CPU may reorder the stores further, which is
// harmless since disorder is intended.
func scatter(dst, src *byte, n, i, step, count int) (next int) {
	d, s := unsafe.Slice(dst, n), unsafe.Slice(src, n)
	for range count {
		d[i] = s[i]
		i += step
		if i >= n {
			i -= n
		}
	}
	return i
}

// idle is loaded by Pause; a compiler may not drop the atomic load.
var idle atomic.Uint32

// Pause spends roughly ticks cycles.
func Pause(ticks uint64) {
	for range ticks / 2 {
		idle.Load()
	}
}

//go:build !amd64

package place

import (
	"sync/atomic"
	"unsafe"
)

// InOrder says whether Ordered keeps its promise on this CPU architecture:
// here it does not, as libibverbs promises nothing outside x86.
const InOrder = false

// ordered copies n > 0 bytes in no particular order.
func ordered(dst, src *byte, n int) {
	copy(unsafe.Slice(dst, n), unsafe.Slice(src, n))
}

// scatter stores count bytes one at a time: those at i, i+step, i+2*step, ...
// all modulo n, and returns the index that would be next. i and step are
// below n. Compiler and CPU may reorder the stores further, which does no
// harm: disorder is what is asked for.
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

// idle is what Pause reads: an atomic load that no compiler may drop.
var idle atomic.Uint32

// Pause spends roughly ticks cycles.
func Pause(ticks uint64) {
	for range ticks / 2 {
		idle.Load()
	}
}

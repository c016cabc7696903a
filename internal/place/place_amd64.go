package place

import "golang.org/x/sys/cpu"

// InOrder says whether Ordered keeps its promise on this CPU architecture.
const InOrder = true

// wide says that aligned 16-byte stores are atomic: Intel (SDM vol. 3A,
// "Guaranteed Atomic Operations") and AMD (APM vol. 2, "Access Atomicity")
// both promise it for exactly the processors that report AVX.
var wide = cpu.X86.HasAVX

// lines says that a store may be of a whole cache line, 64 bytes.
var lines = cpu.X86.HasAVX512F

// ordered stores n > 0 bytes in ascending address order.
//
//go:noescape
func ordered(dst, src *byte, n int)

// scatter stores count bytes one at a time: those at i, i+step, i+2*step, ...
// all modulo n, and returns the index that would be next. i and step are
// below n.
//
//go:noescape
func scatter(dst, src *byte, n, i, step, count int) (next int)

// Pause waits until the time stamp counter has advanced by ticks. It counts
// ticks and not PAUSE instructions because one of those takes from 10 cycles
// on older CPUs to 140 on newer ones. The stores made before leave the store
// buffer meanwhile.
func Pause(ticks uint64)

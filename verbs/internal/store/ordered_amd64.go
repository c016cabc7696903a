package store

import "golang.org/x/sys/cpu"

// InOrder is true where Ordered keeps its promise, which depends on the CPU architecture.
const InOrder = true

// wide reports that aligned 16-byte stores are atomic: Intel (SDM vol. 3A, "Guaranteed Atomic
// Operations") and AMD (APM vol. 2, "Access Atomicity") both promise it for the processors that
// report AVX.
var atomic16 = cpu.X86.HasAVX

// lines reports that one store can write a whole cache line of 64 bytes.
var lineStores = cpu.X86.HasAVX512F

// ordered stores n > 0 bytes in ascending address order.
//
//go:noescape
func ordered(dst, src *byte, n int)

// scatter stores count bytes one at a time: those at i, i+step, i+2*step, ... modulo n. It returns
// the next index. i and step are below n.
//
//go:noescape
func scatter(dst, src *byte, n, i, step, count int) (next int)

// Pause waits until the time stamp counter has advanced by ticks. It does not count PAUSE
// instructions, since one takes from 10 cycles on older CPUs to 140 on newer ones. Earlier stores
// leave the store buffer meanwhile.
func Pause(ticks uint64)

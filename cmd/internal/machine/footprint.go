package machine

import "runtime/debug"

// garbagePercent is the garbage that the heap may hold, in percent of the memory in use. The heap has
// a few MiB. No garbage is collected during a measurement.
const garbagePercent = 25

// LimitFootprint keeps the memory small that a program with thousands of QPs takes besides them. It
// limits garbage, which could double the heap, and turns transparent huge pages off: with
// "always", the kernel would back the first bytes of each heap and thread stack with 2 MiB.
func LimitFootprint() {
	debug.SetGCPercent(garbagePercent)
	disableHugePages()
}

// Package ccall calls short C functions on stacks of its own, and bypasses the Go scheduler.
//
// A call through cgo tells the scheduler that the thread is in a system call, which costs
// tens of nanoseconds. A second cost is hidden: from a thread that spins in such calls for
// more than 10 ms, the runtime's monitor thread, which wakes every 20 µs, takes the processor
// (P) again and again. If the spinning thread is bound to a CPU, the monitor runs on the same
// CPU, which lengthens every sample.
//
// To the scheduler a call of this package is a leaf function of Go. So the C function must
// be short: while it runs, no garbage collection can begin. It must not call back into Go.
// The Go runtime cannot unwind the stack of a C function that crashes: a user of this package
// installs a signal handler, see [Stacks.Memory].
package ccall

// Package ccall calls short C functions that bypass the Go scheduler: on a stack of
// the package's own instead of through cgo.
//
// A call through cgo tells the scheduler that the thread is in a system call. That
// costs tens of nanoseconds, and more that is not seen: a thread that spins in such
// calls for longer than 10 ms has its processor taken away again and again by the
// runtime's monitor, a thread that wakes every 20 µs to do so. Where the spinning
// thread is bound to a CPU, the monitor shares it, and every sample pays.
//
// A call of this package looks to the scheduler like a leaf function of Go. So the
// C function must be short: while it runs, no garbage collection can begin. It must
// not call back into Go. The Go runtime cannot unwind the stack of a C function that
// crashes: who uses this package installs a signal handler, see [Stacks.Memory].
package ccall

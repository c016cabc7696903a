// Package ibv is the backend for RDMA devices: libibverbs, and librdmacm for
// connections by address. It is the only package with cgo.
//
// The libraries are opened at run time, so one binary runs with and without
// them; where libibverbs or the kernel's uverbs is absent there are simply no
// devices. The binary interface that is used is declared in abi.h.
//
// A call into C costs some 40 ns, so the timed calls cross once for a burst: a
// list of requests, an array of completions, a bounded spin on an empty queue.
// Requests and completions have libibverbs' layout, which layout.go holds at compile
// time, and are handed over as they are, wherever they lie.
//
// On amd64 timed calls bypass cgo, see package internal/ccall. A crash in C there is
// reported by a handler of SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, which is installed
// when the first device is opened: signal, address, program counter, library and function
// on standard error, then the Go runtime's traceback of the caller. All other signals go
// to the runtime. With IBPERF_CGO=1 in the environment all calls go through cgo and no
// handler is installed; with GOTRACEBACK=crash, too, a core dump shows the C frames.
//
// Objects may be used by several goroutines as far as libibverbs allows
// (ibv_post_send(3), ibv_poll_cq(3)), but not while they are closed. Closing a
// context does not close what was made from it: close objects first, users before
// what they use.
package ibv

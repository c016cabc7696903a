// Package ibv is the backend for RDMA devices: libibverbs, and librdmacm for
// connections by address. It is the only package with cgo.
//
// The libraries are opened at run time, so one binary runs with and without
// them. Without libibverbs, or without the kernel's uverbs, there are no
// devices. abi.h declares the binary interface.
//
// A call into C costs about 40 ns, so a timed call crosses once for a burst: a
// list of requests, an array of completions, a bounded spin on an empty queue.
// Requests and completions have libibverbs' layout, which layout.go checks at compile
// time, and are passed without a copy.
//
// On amd64 and arm64 timed calls bypass cgo, see package verbs/ibv/internal/ccall. A handler of SIGSEGV,
// SIGBUS, SIGFPE, SIGILL and SIGABRT, which is installed when the first device is opened,
// reports a crash in C on standard error: signal, address, program counter, library and
// function, then the Go runtime's traceback of the caller. All other signals go
// to the runtime. With IBPERF_CGO=1 in the environment all calls go through cgo and no
// handler is installed; with GOTRACEBACK=crash, too, a core dump shows the C frames.
//
// Several goroutines may use an object where libibverbs allows it
// (ibv_post_send(3), ibv_poll_cq(3)), but not during its Close. Closing a
// context does not close its objects: close objects first, each before the objects that
// it uses.
//
//	backend.go device.go context.go   the library, its devices, an opened device
//	absence.go                        why there is no device
//	pd.go mw.go rereg.go domain.go    memory and protection
//	cq.go cq_ex.go channel.go event.go  completions and events
//	qp.go srd.go scatter.go xrc.go srq.go ah.go  queues
//	cm.go cmaddr.go                   librdmacm
//	call.go post_poll.c poll_ex.c wr_post.c  the timed calls
//	abi.h layout.go convert.go        layouts of structures
//	library.c cmlibrary.c mlx5.c efa.c  functions that are looked up at run time
//	fault.c                           the report of crashes
//	testdata/libibverbs               a libibverbs with devices in shared memory, for tests
package ibv

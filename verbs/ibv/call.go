//go:build linux

package ibv

/*
#cgo noescape fast_call
#cgo nocallback fast_call
#include "post_poll.h"
#include "fault.h"
*/
import "C"

import (
	"os"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/ibv/internal/ccall"
)

// stacks returns the stacks of timed calls. With IBPERF_CGO in the environment there are no
// stacks, and all calls go through cgo.
var stacks = sync.OnceValues(func() (*ccall.Stacks, error) {
	if os.Getenv("IBPERF_CGO") != "" {
		return &ccall.Stacks{}, nil
	}
	s, err := ccall.New()
	if err == nil && len(s.Memory()) > 0 {
		m := s.Memory()
		C.fault_watch(unsafe.Pointer(unsafe.SliceData(m)), C.size_t(len(m)), ccall.Each)
	}
	return s, err
})

// CallPath returns the way of timed calls into libibverbs.
func (c *context) CallPath() string {
	if c.stacks.Complete() {
		return verbs.CallsDirect
	}
	return verbs.CallsCgo
}

// throughCgo calls f(arg) through cgo and unpins. The caller has pinned all Go memory that
// f reaches from arg. arg is untyped because cgo's check of a typed argument reads whole
// arrays, and panics if elements that are not posted hold Go pointers.
func throughCgo(f, arg unsafe.Pointer, pins *runtime.Pinner) {
	C.fast_call((*[0]byte)(f), arg)
	pins.Unpin()
}

func pinSends(pins *runtime.Pinner, wr *verbs.SendWR) {
	for ; wr != nil; wr = wr.Next {
		pins.Pin(wr)
		pins.Pin(wr.SGList)
	}
}

func pinRecvs(pins *runtime.Pinner, wr *verbs.RecvWR) {
	for ; wr != nil; wr = wr.Next {
		pins.Pin(wr)
		pins.Pin(wr.SGList)
	}
}

//go:build linux

package ibv

/*
#cgo noescape fast_call
#cgo nocallback fast_call
#include "fast.h"
#include "fault.h"
*/
import "C"

import (
	"os"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ibperf/ibperf/internal/ccall"
	"github.com/ibperf/ibperf/verbs"
)

// stacks are what the timed calls run on: none if IBPERF_CGO is set, and then all of
// them go through cgo.
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

// throughCgo calls f(arg) where package ccall does not. What arg leads to is pinned. Cgo
// is not shown the type of arg: it would look into arrays, and refuse one of which other
// elements than those that are posted point to memory of Go.
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

//go:build linux

package ibv

/*
#cgo noescape ib_query_device_ex
#include "library.h"
*/
import "C"

import (
	"encoding/binary"
	"sync"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/ibv/internal/ccall"
	"github.com/ibperf/ibperf/verbs/internal/fdwait"
)

// context is an opened device.
type context struct {
	dev *device
	c   *C.struct_abi_context

	events  *fdwait.Waiter[verbs.AsyncEvent]
	stacks  *ccall.Stacks
	objects sync.Map // QPs, CQs and SRQs by their C pointers, which events carry
}

func newContext(d *device, c *C.struct_abi_context) (*context, error) {
	out := &context{dev: d, c: c}
	var err error
	if out.events, err = waiter(c.async_fd, "async_fd", out.takeAsyncEvent); err == nil {
		if out.stacks, err = stacks(); err != nil {
			out.events.Close()
		}
	}
	if err != nil {
		C.ib_close_device(c)
		return nil, opError("open_device", d.name, err, "its event descriptor or the stacks for calls into C failed")
	}
	return out, nil
}

func (c *context) Device() verbs.Device { return c.dev }

// hold adds an object to those that events can name.
func (c *context) hold(cptr unsafe.Pointer, object any) { c.objects.Store(cptr, object) }

// drop removes an object after its C object was destroyed. C may have reused the memory for
// another object by then, which drop keeps.
func (c *context) drop(cptr unsafe.Pointer, object any) { c.objects.CompareAndDelete(cptr, object) }

func (c *context) find(cptr unsafe.Pointer) any {
	object, _ := c.objects.Load(cptr)
	return object
}

// AllocPD allocates a protection domain.
//
//	struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
func (c *context) AllocPD() (verbs.PD, error) {
	if c.c == nil {
		return nil, closed("alloc_pd", c.dev.name)
	}
	p, err := C.ib_alloc_pd(c.c)
	if p == nil {
		return nil, opError("alloc_pd", c.dev.name, err, "")
	}
	return &pd{ctx: c, c: p}, nil
}

// Close closes the device.
//
//	int ibv_close_device(struct ibv_context *context)
func (c *context) Close() error {
	if c.c == nil {
		return nil
	}
	c.events.Close()
	ret, err := C.ib_close_device(c.c)
	c.c = nil
	return check("close_device", c.dev.name, errnoOf(ret, err), nil)
}

// hostOrder converts a GUID from network byte order, in which libibverbs has it.
func hostOrder(v C.uint64_t) uint64 {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], uint64(v))
	return binary.BigEndian.Uint64(b[:])
}

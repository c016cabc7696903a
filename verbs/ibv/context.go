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

	"github.com/ibperf/ibperf/internal/ccall"
	"github.com/ibperf/ibperf/verbs"
)

// context is an opened device.
type context struct {
	dev *device
	c   *C.struct_abi_context

	events  events
	stacks  *ccall.Stacks
	mu      sync.Mutex
	objects map[unsafe.Pointer]any // QPs, CQs and SRQs by their C twins, which events name
}

func newContext(d *device, c *C.struct_abi_context) (*context, error) {
	out := &context{dev: d, c: c, objects: map[unsafe.Pointer]any{}}
	out.events.take = out.takeEvent
	err := out.events.open(c.async_fd)
	if err == nil {
		out.stacks, err = stacks()
	}
	if err != nil {
		C.ib_close_device(c)
		return nil, opError("open_device", d.name, err, "it opens, but cannot be worked with")
	}
	return out, nil
}

func (c *context) Device() verbs.Device { return c.dev }

// hold makes an object known to events; drop ends that.
func (c *context) hold(twin unsafe.Pointer, object any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.objects[twin] = object
}

func (c *context) drop(twin unsafe.Pointer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.objects, twin)
}

func (c *context) find(twin unsafe.Pointer) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.objects[twin]
}

// AllocPD allocates a protection domain.
//
//	struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
func (c *context) AllocPD() (verbs.PD, error) {
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
	c.events.file.Close()
	ret, err := C.ib_close_device(c.c)
	c.c = nil
	if ret != 0 {
		return opError("close_device", c.dev.name, err, "")
	}
	return nil
}

// hostOrder turns a GUID, which libibverbs keeps in network order, into a number.
func hostOrder(v C.uint64_t) uint64 {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], uint64(v))
	return binary.BigEndian.Uint64(b[:])
}

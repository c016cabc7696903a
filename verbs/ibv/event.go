//go:build linux

package ibv

/*
#cgo noescape ib_get_async_event
#cgo noescape ib_ack_async_event
#include "library.h"
*/
import "C"

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// GetAsyncEvent waits for an event of the device, its ports, QPs or CQs.
//
//	int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
func (c *context) GetAsyncEvent(timeout time.Duration) (verbs.AsyncEvent, error) {
	deadline := time.Now().Add(timeout)
	for {
		fds := [1]unix.PollFd{{Fd: int32(c.c.async_fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds[:], milliseconds(time.Until(deadline)))
		switch {
		case err != nil && err != unix.EINTR:
			return verbs.AsyncEvent{}, opError("get_async_event", c.dev.name, err, "")
		case n > 0:
			return c.asyncEvent()
		case time.Now().After(deadline):
			return verbs.AsyncEvent{}, verbs.ErrTimeout
		}
	}
}

func (c *context) asyncEvent() (verbs.AsyncEvent, error) {
	var e C.struct_abi_async_event
	if ret, err := C.ib_get_async_event(c.c, &e); ret != 0 {
		return verbs.AsyncEvent{}, opError("get_async_event", c.dev.name, err, "the device may be gone")
	}
	out := verbs.AsyncEvent{Type: verbs.EventType(e.event_type)}
	switch object := c.find(e.element).(type) {
	case *qp:
		out.QP = object
	case *cq:
		out.CQ = object
	default:
		out.Port = int(uint32(uintptr(e.element)))
	}
	return out, nil
}

// AckAsyncEvent acknowledges an event.
//
//	void ibv_ack_async_event(struct ibv_async_event *event)
func (c *context) AckAsyncEvent(event verbs.AsyncEvent) {
	e := C.struct_abi_async_event{event_type: C.uint32_t(event.Type)}
	if q, ok := event.QP.(*qp); ok {
		e.element = unsafe.Pointer(q.c)
	} else if q, ok := event.CQ.(*cq); ok {
		e.element = unsafe.Pointer(q.c)
	}
	C.ib_ack_async_event(&e)
}

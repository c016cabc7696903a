//go:build linux

package ibv

/*
#cgo noescape ib_get_async_event
#cgo noescape ib_ack_async_event
#include "library.h"
*/
import "C"

import (
	"errors"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/fdwait"
)

// waiter returns a waiter on a duplicate of a descriptor of libibverbs. A thread that waits
// in poll(2) instead would keep the runtime's monitor thread awake, which takes CPU time from
// measuring threads.
func waiter[T any](fd C.int, name string, take func() (T, error)) (*fdwait.Waiter[T], error) {
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return fdwait.New(own, name, take)
}

// GetAsyncEvent waits for an event of the device, its ports, QPs, CQs or SRQs.
//
//	int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
func (c *context) GetAsyncEvent(timeout time.Duration) (verbs.AsyncEvent, error) {
	e, err := c.events.Wait(timeout)
	switch {
	case err == nil || err == verbs.ErrTimeout:
		return e, err
	case err == verbs.ErrClosed || errors.Is(err, os.ErrClosed):
		return e, closed("get_async_event", c.dev.name)
	}
	return e, opError("get_async_event", c.dev.name, err, "the device may be gone")
}

// takeAsyncEvent takes an event without waiting, or returns EAGAIN itself.
func (c *context) takeAsyncEvent() (verbs.AsyncEvent, error) {
	if c.c == nil {
		return verbs.AsyncEvent{}, verbs.ErrClosed
	}
	var e C.struct_abi_async_event
	ret, err := C.ib_get_async_event(c.c, &e)
	if errno := errnoOf(ret, err); errno != 0 {
		return verbs.AsyncEvent{}, errno
	}
	out := verbs.AsyncEvent{Type: verbs.EventType(e.event_type)}
	switch object := c.find(e.element).(type) {
	case *qp:
		out.QP = object
	case *cq:
		out.CQ = object
	case *srq:
		out.SRQ = object
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
	dead := c.c == nil
	if q, ok := event.QP.(*qp); ok {
		e.element, dead = unsafe.Pointer(q.c), q.gone()
	} else if q, ok := event.CQ.(*cq); ok {
		e.element, dead = unsafe.Pointer(q.c), q.gone()
	} else if s, ok := event.SRQ.(*srq); ok {
		e.element, dead = unsafe.Pointer(s.c), s.gone()
	}
	if !dead {
		C.ib_ack_async_event(&e)
	}
}

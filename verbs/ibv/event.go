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
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// events is where a device's events are waited for: in the runtime's poller, like
// a network connection. A thread that waits in poll(2) instead would keep the
// runtime's monitor awake, which costs the measuring threads their CPU.
type events struct {
	mu   sync.Mutex // one waits at a time
	file *os.File   // a duplicate of the context's async_fd
	conn syscall.RawConn
	take func(uintptr) bool // takeEvent

	out verbs.AsyncEvent
	err error
}

func (e *events) open(fd C.int) error {
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := unix.SetNonblock(own, true); err != nil {
		unix.Close(own)
		return err
	}
	e.file = os.NewFile(uintptr(own), "async_fd")
	e.conn, err = e.file.SyscallConn()
	return err
}

// GetAsyncEvent waits for an event of the device, its ports, QPs, CQs or SRQs.
//
//	int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
func (c *context) GetAsyncEvent(timeout time.Duration) (verbs.AsyncEvent, error) {
	e := &c.events
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.take(0) {
		return e.out, e.err
	}
	err := e.file.SetReadDeadline(time.Now().Add(timeout))
	if err == nil {
		err = e.conn.Read(e.take)
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return verbs.AsyncEvent{}, verbs.ErrTimeout
	case err != nil:
		return verbs.AsyncEvent{}, opError("get_async_event", c.dev.name, err, "")
	}
	return e.out, e.err
}

// takeEvent takes an event, or notes why not, and tells whether the wait is over. It is
// made a function once only: who waits again and again is to leave nothing behind.
func (c *context) takeEvent(uintptr) bool {
	c.events.out, c.events.err = c.asyncEvent()
	return c.events.err != syscall.EAGAIN
}

// asyncEvent takes an event. Its error is EAGAIN itself if there is none.
func (c *context) asyncEvent() (verbs.AsyncEvent, error) {
	var e C.struct_abi_async_event
	switch ret, err := C.ib_get_async_event(c.c, &e); {
	case ret != 0 && err == syscall.EAGAIN:
		return verbs.AsyncEvent{}, syscall.EAGAIN
	case ret != 0:
		return verbs.AsyncEvent{}, opError("get_async_event", c.dev.name, err, "the device may be gone")
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
	if q, ok := event.QP.(*qp); ok {
		e.element = unsafe.Pointer(q.c)
	} else if q, ok := event.CQ.(*cq); ok {
		e.element = unsafe.Pointer(q.c)
	} else if s, ok := event.SRQ.(*srq); ok {
		e.element = unsafe.Pointer(s.c)
	}
	C.ib_ack_async_event(&e)
}

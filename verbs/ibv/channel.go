//go:build linux

package ibv

/*
#cgo noescape fast_get_event
#cgo nocallback fast_get_event
#include "post_poll.h"
#include "library.h"
*/
import "C"

import (
	"errors"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/fdwait"
)

type compChannel struct {
	ctx    *context
	c      *C.struct_abi_comp_channel
	fd     int // of c, for String
	events *fdwait.Waiter[verbs.CQ]
}

// CreateCompChannel creates a completion channel. Its descriptor is non-blocking: read(2)
// would block if another goroutine has taken the event.
//
//	struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
func (c *context) CreateCompChannel() (verbs.CompChannel, error) {
	if c.c == nil {
		return nil, closed("create_comp_channel", c.dev.name)
	}
	cptr, err := C.ib_create_comp_channel(c.c)
	if cptr == nil {
		return nil, opError("create_comp_channel", c.dev.name, err, "")
	}
	ch := &compChannel{ctx: c, c: cptr, fd: int(cptr.fd)}
	if ch.events, err = waiter(cptr.fd, "comp_channel", ch.take); err != nil {
		C.ib_destroy_comp_channel(cptr)
		return nil, opError("create_comp_channel", c.dev.name, err, "the runtime cannot poll its descriptor")
	}
	return ch, nil
}

func (ch *compChannel) gone() bool { return ch.c == nil || ch.ctx.c == nil }

func (ch *compChannel) FD() int {
	if ch.gone() {
		return -1
	}
	return int(ch.c.fd)
}

// GetEvent waits for an event in the runtime's poller.
//
//	int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
func (ch *compChannel) GetEvent(timeout time.Duration) (verbs.CQ, error) {
	return ch.event(ch.events.Wait(timeout))
}

// GetEventRaw waits for an event in poll(2), in one call into C that bypasses the scheduler.
//
//	int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
func (ch *compChannel) GetEventRaw(timeout time.Duration) (verbs.CQ, error) {
	q, err := ch.get(min(timeout, verbs.LongestRawWait))
	if err == syscall.EAGAIN {
		err = verbs.ErrTimeout
	}
	return ch.event(q, err)
}

// take takes an event without waiting, or returns EAGAIN itself.
func (ch *compChannel) take() (verbs.CQ, error) { return ch.get(0) }

func (ch *compChannel) get(timeout time.Duration) (verbs.CQ, error) {
	if ch.gone() {
		return nil, verbs.ErrClosed
	}
	e := C.struct_get_event{channel: ch.c, timeout_ms: C.int(milliseconds(timeout))}
	if !ch.ctx.stacks.Call(C.fast_get_event, unsafe.Pointer(&e)) {
		C.fast_get_event(unsafe.Pointer(&e))
	}
	if e.err != 0 {
		return nil, syscall.Errno(e.err)
	}
	q, ok := ch.ctx.find(unsafe.Pointer(e.cq)).(*cq)
	if !ok {
		return nil, syscall.EIO // cannot happen: Close of a CQ waits until its events are acknowledged
	}
	return q, nil
}

// longestWait keeps the timeout in milliseconds within poll(2)'s int.
const longestWait = 24 * time.Hour

// milliseconds rounds up, so that a wait is not shorter than its timeout.
func milliseconds(d time.Duration) int {
	return int((min(max(d, 0), longestWait) + time.Millisecond - 1) / time.Millisecond)
}

// event returns the CQ of a wait, or its error as an OpError.
func (ch *compChannel) event(q verbs.CQ, err error) (verbs.CQ, error) {
	switch {
	case err == nil:
		return q, nil
	case err == verbs.ErrTimeout:
		return nil, err
	case err == verbs.ErrClosed || errors.Is(err, os.ErrClosed):
		return nil, closed("get_cq_event", ch.ctx.dev.name)
	}
	return nil, opError("get_cq_event", ch.ctx.dev.name, err, "")
}

// Close destroys the channel. After the context only the descriptor is left to close.
//
//	int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
func (ch *compChannel) Close() error {
	if ch.c == nil {
		return nil
	}
	if ch.ctx.c == nil { // the library's call would use the freed context
		ch.c = nil
		return errors.Join(ch.events.Close(), unix.Close(ch.fd))
	}
	ret, err := C.ib_destroy_comp_channel(ch.c)
	if err := check("destroy_comp_channel", ch.ctx.dev.name, errnoOf(ret, err), nil); err != nil {
		return err
	}
	ch.c = nil
	return ch.events.Close()
}

//go:build linux

package ibv

/*
#cgo noescape fast_get_event
#cgo nocallback fast_get_event
#include "fast.h"
#include "library.h"
*/
import "C"

import (
	"syscall"
	"time"
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

type compChannel struct {
	ctx *context
	c   *C.struct_abi_comp_channel
}

// CreateCompChannel creates a completion channel.
//
//	struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
func (c *context) CreateCompChannel() (verbs.CompChannel, error) {
	ch, err := C.ib_create_comp_channel(c.c)
	if ch == nil {
		return nil, opError("create_comp_channel", c.dev.name, err, "")
	}
	return &compChannel{ctx: c, c: ch}, nil
}

func (ch *compChannel) FD() int { return int(ch.c.fd) }

// longestWait keeps the milliseconds of a wait within poll(2)'s int.
const longestWait = 24 * time.Hour

// milliseconds rounds up, so that a wait is never shorter than asked for.
func milliseconds(d time.Duration) int {
	return int((min(max(d, 0), longestWait) + time.Millisecond - 1) / time.Millisecond)
}

// GetEvent sleeps until an event comes, in one call into C.
//
//	int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
func (ch *compChannel) GetEvent(timeout time.Duration) (verbs.CQ, error) {
	deadline := time.Now().Add(timeout)
	for {
		e := ch.wait(timeout)
		switch syscall.Errno(e.err) {
		case 0:
			q, _ := ch.ctx.find(unsafe.Pointer(e.cq)).(*cq)
			return q, nil
		case syscall.ETIMEDOUT: // or a signal came
			if timeout = time.Until(deadline); timeout <= 0 {
				return nil, verbs.ErrTimeout
			}
		default:
			return nil, opError("get_cq_event", ch.ctx.dev.name, syscall.Errno(e.err), "")
		}
	}
}

// briefly is how long a wait may hold up the Go scheduler.
const briefly = 5 * time.Millisecond

// wait waits for an event, at first without telling the scheduler: most events
// come soon.
func (ch *compChannel) wait(timeout time.Duration) (e C.struct_get_event) {
	e.channel, e.timeout_ms = ch.c, C.int(milliseconds(min(timeout, briefly)))
	if ch.ctx.stacks.Call(C.fast_get_event, unsafe.Pointer(&e)) && (e.err != C.int(syscall.ETIMEDOUT) || timeout <= briefly) {
		return e
	}
	e.timeout_ms = C.int(milliseconds(timeout))
	C.fast_get_event(unsafe.Pointer(&e))
	return e
}

// Close destroys the channel.
//
//	int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
func (ch *compChannel) Close() error {
	if ch.c == nil {
		return nil
	}
	err := check("destroy_comp_channel", ch.ctx.dev.name, C.ib_destroy_comp_channel(ch.c), nil)
	if err == nil {
		ch.c = nil
	}
	return err
}

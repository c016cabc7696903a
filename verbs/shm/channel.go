package shm

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/internal/fdwait"
	"github.com/ibperf/ibperf/verbs"
)

// channel is a completion channel: an eventfd that counts the events of its CQs.
type channel struct {
	ctx    *context
	fd     int // which events owns; -1 after Close
	events *fdwait.Waiter[verbs.CQ]

	mu  sync.Mutex
	cqs []*cq
}

func (c *context) CreateCompChannel() (verbs.CompChannel, error) {
	if c.isClosed() {
		return nil, c.err("create_comp_channel", ebadf, closedText)
	}
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK|unix.EFD_SEMAPHORE)
	if err != nil {
		return nil, c.err("create_comp_channel", err.(unix.Errno), "")
	}
	ch := &channel{ctx: c, fd: fd}
	if ch.events, err = fdwait.New(fd, "comp_channel", ch.take); err != nil {
		return nil, c.err("create_comp_channel", errnoOf(err), err.Error())
	}
	return ch, nil
}

func (ch *channel) FD() int { return ch.fd }

func (ch *channel) gone() bool { return ch.fd < 0 || ch.ctx.isClosed() }

// GetEvent waits in the runtime's poller until a peer writes to the eventfd.
func (ch *channel) GetEvent(timeout time.Duration) (verbs.CQ, error) {
	return ch.event(ch.events.Wait(timeout))
}

// GetEventRaw sleeps in a raw system call until a peer writes to the eventfd.
func (ch *channel) GetEventRaw(timeout time.Duration) (verbs.CQ, error) {
	if timeout > 0 {
		awaitSignal(ch.fd, min(timeout, verbs.LongestRawWait))
	}
	q, err := ch.take()
	if err == syscall.EAGAIN {
		err = verbs.ErrTimeout
	}
	return ch.event(q, err)
}

// event completes the error of a wait.
func (ch *channel) event(q verbs.CQ, err error) (verbs.CQ, error) {
	switch {
	case err == nil || err == verbs.ErrTimeout:
		return q, err
	case errors.Is(err, os.ErrClosed):
		return nil, ch.ctx.err("get_cq_event", ebadf, closedText)
	}
	return nil, ch.ctx.err("get_cq_event", errnoOf(err), closedText)
}

// take takes an event without waiting. Its error is EAGAIN itself if there is none.
func (ch *channel) take() (verbs.CQ, error) {
	if ch.gone() {
		return nil, ebadf
	}
	for takeSignal(ch.fd) {
		if q := ch.raised(); q != nil {
			return q, nil
		}
	}
	return nil, syscall.EAGAIN
}

// raised returns a CQ of which an event is queued; nil if that was one of a CQ that is
// destroyed.
func (ch *channel) raised() verbs.CQ {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	for _, cq := range ch.cqs {
		if cq.takeEvent() {
			return cq
		}
	}
	return nil
}

func (ch *channel) attach(q *cq) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.cqs = append(ch.cqs, q)
}

func (ch *channel) detach(q *cq) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	for i, c := range ch.cqs {
		if c == q {
			ch.cqs = append(ch.cqs[:i], ch.cqs[i+1:]...)
			return
		}
	}
}

func (ch *channel) Close() error {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if len(ch.cqs) > 0 {
		return ch.ctx.err("destroy_comp_channel", ebusy, "a CQ uses the channel")
	}
	if ch.fd < 0 {
		return nil
	}
	ch.fd = -1
	return ch.events.Close()
}

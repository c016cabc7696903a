package shm

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/internal/fdwait"
	"github.com/ibperf/ibperf/verbs"
)

// channel is a completion channel, to which the doors of peers and this process lead.
type channel struct {
	ctx    *context
	fd     int // an epoll of the doors, which events owns
	events *fdwait.Waiter[verbs.CQ]
	own    *door
	closed atomic.Bool // written under mu

	mu       sync.Mutex
	cqs      map[uint32]*cq
	doors    map[int32]*door
	lastDoor int32
}

func (c *context) CreateCompChannel() (verbs.CompChannel, error) {
	if c.isClosed() {
		return nil, c.err("create_comp_channel", ebadf, closedText)
	}
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, c.err("create_comp_channel", errnoOf(err), err.Error())
	}
	ch := &channel{ctx: c, fd: fd, cqs: map[uint32]*cq{}, doors: map[int32]*door{}}
	if ch.events, err = fdwait.New(fd, "comp_channel", func() (verbs.CQ, error) { return ch.take(0) }); err != nil {
		return nil, c.err("create_comp_channel", errnoOf(err), err.Error())
	}
	if ch.own, err = ch.openDoor(nil); err != nil {
		ch.events.Close()
		return nil, c.err("create_comp_channel", errnoOf(err), err.Error())
	}
	c.mu.Lock()
	c.channels[ch] = struct{}{}
	c.mu.Unlock()
	return ch, nil
}

func (ch *channel) FD() int {
	if ch.closed.Load() {
		return -1
	}
	return ch.fd
}

func (ch *channel) gone() bool { return ch.closed.Load() || ch.ctx.isClosed() }

// GetEvent waits in the runtime's poller until a token comes.
func (ch *channel) GetEvent(timeout time.Duration) (verbs.CQ, error) {
	return ch.event(ch.events.Wait(timeout))
}

// GetEventRaw sleeps in a raw system call until a token comes.
func (ch *channel) GetEventRaw(timeout time.Duration) (verbs.CQ, error) {
	limit := max(0, min(timeout, verbs.LongestRawWait))
	q, err := ch.take(int((limit + time.Millisecond - 1) / time.Millisecond))
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

func (ch *channel) attach(q *cq) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.cqs[q.bell.cq] = q
}

func (ch *channel) detach(q *cq) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	delete(ch.cqs, q.bell.cq)
}

func (ch *channel) Close() error {
	ch.ctx.mu.Lock()
	defer ch.ctx.mu.Unlock()
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if len(ch.cqs) > 0 {
		return ch.ctx.err("destroy_comp_channel", ebusy, "a CQ uses the channel")
	}
	if ch.closed.Swap(true) {
		return nil
	}
	delete(ch.ctx.channels, ch)
	for number, d := range ch.doors {
		ch.shut(number, d)
	}
	return ch.events.Close()
}

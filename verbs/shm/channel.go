package shm

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// channel is a completion channel: an eventfd that counts the events of its CQs.
type channel struct {
	ctx *context
	fd  int

	mu  sync.Mutex
	cqs []*cq
}

func (c *context) CreateCompChannel() (verbs.CompChannel, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK|unix.EFD_SEMAPHORE)
	if err != nil {
		return nil, c.err("create_comp_channel", err.(unix.Errno), "")
	}
	return &channel{ctx: c, fd: fd}, nil
}

func (ch *channel) FD() int { return ch.fd }

// longestPoll keeps the time of one poll(2) within its 32 bits.
const longestPoll = time.Hour

// GetEvent sleeps until a peer writes to the eventfd; no CPU is spent meanwhile. Most
// events come soon: only a longer wait is one that the Go scheduler is told of.
func (ch *channel) GetEvent(timeout time.Duration) (verbs.CQ, error) {
	deadline := time.Now().Add(timeout)
	errno := awaitSignal(ch.fd, min(timeout, briefly))
	for {
		if errno != 0 && errno != unix.EINTR {
			return nil, ch.ctx.err("get_cq_event", errno, "")
		}
		if cq := ch.take(); cq != nil {
			return cq, nil
		}
		left := time.Until(deadline)
		if left <= 0 {
			return nil, verbs.ErrTimeout
		}
		fds := [1]unix.PollFd{{Fd: int32(ch.fd), Events: unix.POLLIN}}
		_, err := unix.Poll(fds[:], int(min(left, longestPoll)/time.Millisecond)+1)
		errno, _ = err.(unix.Errno)
	}
}

// take returns the CQ of one queued event, or nil.
func (ch *channel) take() verbs.CQ {
	if !takeSignal(ch.fd) {
		return nil
	}
	ch.mu.Lock()
	defer ch.mu.Unlock()
	for _, cq := range ch.cqs {
		if cq.takeEvent() {
			return cq
		}
	}
	return nil // the event of a CQ that was destroyed
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
	err := unix.Close(ch.fd)
	ch.fd = -1
	return err
}

package shm

import (
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/internal/fdwait"
	"github.com/ibperf/ibperf/verbs"
)

// channel is a completion channel: a pipe, into which this process and peers write tokens.
type channel struct {
	object
	in, out int    // the pipe's ends; events owns in
	inode   uint64 // the pipe's
	events  *fdwait.Waiter[verbs.CQ]

	mu  sync.Mutex // also of closed
	cqs map[uint32]*cq
}

func (c *context) CreateCompChannel() (verbs.CompChannel, error) {
	if c.isClosed() {
		return nil, c.err("create_comp_channel", ebadf, closedText)
	}
	var ends [2]int
	if err := makePipe(&ends); err != nil {
		return nil, c.err("create_comp_channel", errnoOf(err), err.Error())
	}
	ch := &channel{object: object{ctx: c}, in: ends[0], out: ends[1], cqs: map[uint32]*cq{}}
	var err error
	if ch.inode, err = inodeOf(ch.in); err == nil {
		ch.events, err = fdwait.New(ch.in, "comp_channel", func() (verbs.CQ, error) { return ch.take() })
	}
	if err != nil {
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
	return ch.in
}

// GetEvent waits in the runtime's poller until a token comes.
func (ch *channel) GetEvent(timeout time.Duration) (verbs.CQ, error) {
	return ch.event(ch.events.Wait(timeout))
}

// GetEventRaw sleeps in a raw system call until a token comes.
func (ch *channel) GetEventRaw(timeout time.Duration) (verbs.CQ, error) {
	q, err := ch.take()
	if limit := max(0, min(timeout, verbs.LongestRawWait)); err == syscall.EAGAIN && limit > 0 {
		awaitToken(ch.in, int((limit+time.Millisecond-1)/time.Millisecond))
		q, err = ch.take()
	}
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
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, verbs.ErrTimeout
	case errors.Is(err, os.ErrClosed):
		return nil, ch.ctx.err("get_cq_event", ebadf, closedText)
	}
	return nil, ch.ctx.err("get_cq_event", errnoOf(err), closedText)
}

const (
	mostTokens = 64      // that are no events, in one call
	pipeTokens = 1 << 12 // that a pipe holds
)

// take takes an event. Its error is EAGAIN itself if there is none.
func (ch *channel) take() (verbs.CQ, error) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.isClosed() {
		return nil, ebadf
	}
	for range mostTokens {
		t, errno := readToken(ch.in)
		if errno == unix.EPROTO { // what a peer wrote may have covered others' tokens
			for range pipeTokens {
				if _, errno = readToken(ch.in); errno != 0 && errno != unix.EPROTO {
					break
				}
			}
			for _, q := range ch.cqs {
				q.notifyLate()
			}
			continue
		}
		if errno != 0 {
			return nil, unix.EAGAIN
		}
		if q := ch.cqs[t.cq]; q != nil && q.notifier.take(t.armed) {
			q.fetched.add(1)
			return q, nil
		}
	}
	writeToken(ch.out, token{mark: tokenMark}) // the runtime's poller tells only of what comes: it has to look again
	return nil, unix.EAGAIN
}

// notifyLost wakes those that wait for a CQ that has completions, if QPs on it are connected to
// the context.
func (ch *channel) notifyLost(id uint64) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.isClosed() {
		return
	}
	for _, q := range ch.cqs {
		if q.helps() || slices.ContainsFunc(q.receivers.all(), func(p *qp) bool { return p.isPeer(id) }) {
			q.notifyLate()
		}
	}
}

// isPeer tells whether the QP is connected to the context.
func (q *qp) isPeer(id uint64) bool {
	r := q.remote.Load()
	return r != nil && r.id == id
}

// notifyLate writes a token if somebody waits for completions of which some are there.
func (q *cq) notifyLate() {
	if w := atomic.LoadUint64(q.notifier.word); w&armMask != armNone && (q.helps() || !q.empty()) {
		q.notifier.send(w >> armShift)
	}
}

func (ch *channel) attach(q *cq) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.cqs[q.notifier.cq] = q
}

func (ch *channel) detach(q *cq) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	delete(ch.cqs, q.notifier.cq)
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
	return errors.Join(ch.events.Close(), unix.Close(ch.out))
}

package shm

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
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
	mu      sync.Mutex // guards taking tokens, and closing the pipe
}

func (c *context) CreateCompChannel() (verbs.CompChannel, error) {
	if c.isClosed() {
		return nil, c.err("create_comp_channel", ebadf, closedText)
	}
	var ends [2]int
	if err := makePipe(&ends); err != nil {
		return nil, c.err("create_comp_channel", errnoOf(err), err.Error())
	}
	ch := &channel{object: c.newObject(), in: ends[0], out: ends[1]}
	var err error
	if ch.inode, err = inodeOf(ch.in); err != nil {
		unix.Close(ch.in)
	} else {
		ch.events, err = fdwait.New(ch.in, "comp_channel", ch.take) // which closes it if it fails
	}
	if err != nil {
		unix.Close(ch.out)
		return nil, c.err("create_comp_channel", errnoOf(err), err.Error())
	}
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
	if limit := min(timeout, verbs.LongestRawWait); err == unix.EAGAIN && limit > 0 {
		awaitToken(ch.in, limit)
		q, err = ch.take()
	}
	return ch.event(q, err)
}

// event completes the error of a wait.
func (ch *channel) event(q verbs.CQ, err error) (verbs.CQ, error) {
	switch {
	case err == nil:
		return q, nil
	case err == unix.EAGAIN || errors.Is(err, os.ErrDeadlineExceeded):
		return nil, verbs.ErrTimeout
	}
	return nil, ch.ctx.err("get_cq_event", ebadf, closedText)
}

const mostTokens = 64 // that are no events, in one call

// take takes an event. Its error is EAGAIN itself if there is none.
func (ch *channel) take() (verbs.CQ, error) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.isClosed() {
		return nil, ebadf
	}
	for range mostTokens {
		t, errno := readToken(ch.in)
		if errno == unix.EPROTO {
			ch.clean()
			break
		}
		if errno != 0 {
			return nil, unix.EAGAIN
		}
		q := ch.ctx.cqs.at(t.cq).Load()
		if q != nil && q.ch == ch && q.notifier.cq == t.cq && q.notifier.take(t.armed) {
			ch.ctx.async.count(&q.acks, 1)
			return q, nil
		}
	}
	writeToken(ch.out, token{mark: tokenMark}) // the runtime's poller tells only of what comes: it has to look again
	return nil, unix.EAGAIN
}

// clean empties the pipe of what a peer wrote that is no token, and may have covered others'.
func (ch *channel) clean() {
	var rest [1 << 12]byte
	for range 16 { // all that a pipe holds, unless it is filled meanwhile
		unix.Read(ch.in, rest[:])
	}
	for _, q := range ch.ctx.cqs.all() {
		if q.ch == ch {
			q.notifyAgain()
		}
	}
}

// notifyAgain writes a token if somebody waits for completions of which some are there.
func (q *cq) notifyAgain() {
	if b := q.notifier; b.armed() && (q.helps() || !q.empty()) {
		b.send(atomic.LoadUint64(b.word) >> armShift)
	}
}

// attach gives the CQ a notifier on the channel, and a number by which peers know it.
func (q *cq) attach(to verbs.CompChannel) error {
	ch, ok := own[*channel](q.ctx, to)
	if !ok {
		return q.err("create_cq", einval, "the channel must be of the same context, and open")
	}
	if !q.ctx.cqs.enter(q, func(num uint32) { q.ch, q.notifier = ch, ch.newNotifier(num) }) {
		return q.err("create_cq", enomem, "all CQs are in use")
	}
	ch.addUsers(1)
	return nil
}

func (q *cq) detach() {
	q.notifier.end()
	q.ctx.cqs.at(q.notifier.cq).Store(nil)
	q.ch.addUsers(-1)
}

func (ch *channel) Close() error {
	if again, err := ch.shut("destroy_comp_channel", "a CQ uses the channel"); again || err != nil {
		return err
	}
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return errors.Join(ch.events.Close(), unix.Close(ch.out))
}

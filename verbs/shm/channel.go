package shm

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/fdwait"
	"github.com/ibperf/ibperf/verbs/shm/internal/arming"
	"github.com/ibperf/ibperf/verbs/shm/internal/lockorder"
)

// channel is a completion channel: a pipe into which this process and peers write tokens.
type channel struct {
	object
	readFD, writeFD int    // the pipe's ends; events owns readFD
	inode           uint64 // the pipe's
	events          *fdwait.Waiter[verbs.CQ]
	mu              lockorder.Mutex[lockorder.Channel] // guards reading tokens and closing the pipe
}

func (c *context) CreateCompChannel() (verbs.CompChannel, error) {
	if c.isClosed() {
		return nil, c.err("create_comp_channel", ebadf, closedText)
	}
	var ends [2]int
	if err := makePipe(&ends); err != nil {
		return nil, c.err("create_comp_channel", errnoOf(err), err.Error())
	}
	ch := &channel{object: c.newObject(), readFD: ends[0], writeFD: ends[1]}
	var err error
	if ch.inode, err = inodeOf(ch.readFD); err != nil {
		unix.Close(ch.readFD)
	} else {
		ch.events, err = fdwait.New(ch.readFD, "comp_channel", ch.takeEvent) // closes the descriptor if it fails
	}
	if err != nil {
		unix.Close(ch.writeFD)
		return nil, c.err("create_comp_channel", errnoOf(err), err.Error())
	}
	if !c.addChannel(ch) {
		return nil, errors.Join(c.err("create_comp_channel", ebadf, closedText), ch.Close())
	}
	return ch, nil
}

// addChannel adds a channel to those whose waiters Close wakes, and reports whether the context is open.
func (c *context) addChannel(ch *channel) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isClosed() {
		return false
	}
	c.channels[ch] = true
	return true
}

// wake ends the waits for events of a closed context.
func (ch *channel) wake() {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if !ch.closed.Load() { // Close closes the pipe under mu
		writeToken(ch.writeFD, token{mark: tokenMark})
	}
}

func (ch *channel) FD() int {
	if ch.closed.Load() {
		return -1
	}
	return ch.readFD
}

// GetEvent waits in the runtime's poller until a token arrives.
func (ch *channel) GetEvent(timeout time.Duration) (verbs.CQ, error) {
	return ch.eventError(ch.events.Wait(timeout))
}

// GetEventRaw sleeps in a raw system call until a token arrives.
func (ch *channel) GetEventRaw(timeout time.Duration) (verbs.CQ, error) {
	q, err := ch.takeEvent()
	if limit := min(timeout, verbs.LongestRawWait); err == unix.EAGAIN && limit > 0 {
		awaitToken(ch.readFD, limit)
		q, err = ch.takeEvent()
	}
	return ch.eventError(q, err)
}

// eventError converts the error of a wait.
func (ch *channel) eventError(q verbs.CQ, err error) (verbs.CQ, error) {
	switch {
	case err == nil:
		return q, nil
	case err == unix.EAGAIN || errors.Is(err, os.ErrDeadlineExceeded):
		return nil, verbs.ErrTimeout
	}
	return nil, ch.ctx.err("get_cq_event", ebadf, closedText)
}

const maxStaleTokens = 64 // stale tokens skipped in one call

// takeEvent reads tokens until one is an event. It returns the bare EAGAIN if there is no event.
func (ch *channel) takeEvent() (verbs.CQ, error) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.isClosed() {
		return nil, ebadf
	}
	for range maxStaleTokens {
		t, errno := readToken(ch.readFD)
		if errno == unix.EPROTO {
			ch.drainPipe()
			break
		}
		if errno != 0 {
			return nil, unix.EAGAIN
		}
		q := ch.ctx.cqs.slot(t.cq).Load()
		if q != nil && q.ch == ch && q.notifier.cq == t.cq && q.notifier.taken.Take(q.notifier.word, t.armed) {
			ch.ctx.async.addUnacked(&q.acks, 1)
			return q, nil
		}
	}
	writeToken(ch.writeFD, token{mark: tokenMark}) // the runtime's poller is edge-triggered: this makes it check again
	return nil, unix.EAGAIN
}

// drainPipe empties the pipe after a peer has written something other than tokens, which may have
// displaced tokens of others.
func (ch *channel) drainPipe() {
	var rest [1 << 12]byte
	for range 16 { // a pipe's capacity, unless it is filled meanwhile
		unix.Read(ch.readFD, rest[:])
	}
	for _, q := range ch.ctx.cqs.all() {
		if q.ch == ch {
			q.renotify()
		}
	}
}

// renotify writes a token if the CQ is armed and has completions or pending work.
func (q *cq) renotify() {
	if b := q.notifier; b.armed() && (q.hasPendingWork() || !q.empty()) {
		b.send(arming.Number(b.word))
	}
}

// attach gives the CQ a notifier on the channel, and the number by which peers know it.
func (q *cq) attach(to verbs.CompChannel) error {
	ch, ok := checkedObject[*channel](q.ctx, to)
	if !ok {
		return q.err("create_cq", einval, "the channel must be of the same context, and open")
	}
	if !q.ctx.cqs.insert(q, func(num uint32) { q.ch, q.notifier = ch, ch.newNotifier(num) }) {
		return q.err("create_cq", enomem, "all CQs are in use")
	}
	ch.addUsers(1)
	return nil
}

func (q *cq) detach() {
	q.notifier.close()
	q.ctx.cqs.slot(q.notifier.cq).Store(nil)
	q.ch.addUsers(-1)
}

func (ch *channel) Close() error {
	if wasClosed, err := ch.markClosed("destroy_comp_channel", "a CQ uses the channel"); wasClosed || err != nil {
		return err
	}
	ch.ctx.mu.Lock()
	delete(ch.ctx.channels, ch)
	ch.ctx.mu.Unlock()
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return errors.Join(ch.events.Close(), unix.Close(ch.writeFD))
}

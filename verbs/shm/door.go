package shm

import (
	"net"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// door is a way by which tokens come to a channel: a pair of sockets for each connection
// of a peer, so that no peer reaches what others send. The channel's descriptor is an epoll
// of all of them.
type door struct {
	from    *net.UnixConn // nil: of this process
	in, out int           // the peer has a duplicate of out
}

// openDoor makes the door for a connection; under the channel's lock.
func (ch *channel) openDoor(from *net.UnixConn) (*door, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	d := &door{from: from, in: pair[0], out: pair[1]}
	ch.lastDoor++
	err = unix.EpollCtl(ch.fd, unix.EPOLL_CTL_ADD, d.in, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: ch.lastDoor})
	if err != nil {
		d.close()
		return nil, err
	}
	ch.doors[ch.lastDoor] = d
	return d, nil
}

func (d *door) close() { closeAll([]int{d.in, d.out}) }

// doorFor returns the end of a door that the peer of the connection sends to.
func (ch *channel) doorFor(from *net.UnixConn) (int, error) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.closed.Load() {
		return 0, ebadf
	}
	for _, d := range ch.doors {
		if d.from == from {
			return d.out, nil
		}
	}
	d, err := ch.openDoor(from)
	if err != nil {
		return 0, err
	}
	return d.out, nil
}

// answer takes a token at the door of the number, and returns the CQ if it is an event.
func (ch *channel) answer(number int32) *cq {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	d := ch.doors[number]
	if d == nil {
		return nil
	}
	t, errno := receiveToken(d.in)
	if errno != 0 {
		if errno != unix.EAGAIN {
			ch.shut(number, d)
		}
		return nil
	}
	q := ch.cqs[t.cq]
	if q == nil || !q.bell.take(t.armed) {
		return nil
	}
	q.fetched.add(1)
	return q
}

// shut closes a door; under the lock.
func (ch *channel) shut(number int32, d *door) {
	delete(ch.doors, number)
	d.close()
}

// leave ends the doors of a connection that is lost. What its peer has sent still counts, and
// it may have been killed between a completion and its token: who waits for a CQ that has
// completions is woken.
func (ch *channel) leave(from *net.UnixConn) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.closed.Load() {
		return
	}
	for number, d := range ch.doors {
		if d.from == from {
			ch.forward(d)
			ch.shut(number, d)
		}
	}
	for _, q := range ch.cqs {
		if !q.empty() {
			q.bell.ring(true)
		}
	}
}

// forward sends the tokens at a door to the channel's own one.
func (ch *channel) forward(d *door) {
	for range maxForward {
		t, errno := receiveToken(d.in)
		if errno != 0 {
			return
		}
		if q := ch.cqs[t.cq]; q != nil && t.armed > q.bell.taken {
			q.bell.send(t.armed)
		}
	}
}

const (
	maxForward = 1 << 12 // more than a socket holds
	maxTokens  = 64      // that are no events, in one call
)

// take waits some milliseconds at most and takes an event. Its error is EAGAIN itself if there is none.
func (ch *channel) take(ms int) (verbs.CQ, error) {
	if ch.gone() {
		return nil, ebadf
	}
	for range maxTokens {
		number, ok := awaitDoor(ch.fd, ms)
		if !ok {
			return nil, unix.EAGAIN
		}
		if q := ch.answer(number); q != nil {
			return q, nil
		}
		ms = 0
	}
	sendToken(ch.own.out, token{}) // the runtime's poller tells only of what comes: it has to look again
	return nil, unix.EAGAIN
}
